// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImport(t *testing.T) {
	generated, named, foreign := domain("ours", testKey), domain("ours", testName), domain("ours", "somebody")
	other := domain("other", testKey)
	for name, c := range map[string]struct {
		legacy Legacy
		object *Object
		origin Origin // "" means no record
	}{
		"generated reference":            {Legacy{ID: "ours"}, &generated, Created},
		"typed reference":                {Legacy{ID: "ours"}, &named, Found},
		"typed reference and root login": {Legacy{ID: "ours", Proved: true}, &named, Created},
		"another reference":              {Legacy{ID: "ours", Proved: true}, &foreign, ""},
		"no such object":                 {Legacy{ID: "ours", Proved: true}, nil, ""},
		"another object":                 {Legacy{ID: "ours"}, &other, ""},
		"no id":                          {Legacy{}, &generated, ""},
	} {
		t.Run(name, func(t *testing.T) {
			want := Want{Slot: testSlot, Name: testName}
			record, current := Import(nil, want, c.legacy, c.object, testNow).Current(testSlot)
			require.Equal(t, c.origin != "", current)
			require.Equal(t, c.origin, record.Origin)
			if current {
				require.Equal(t, Held, record.State)
				require.Equal(t, "ours", record.ID)
			}
		})
	}
}
