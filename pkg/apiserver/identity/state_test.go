// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/storeidentity"
)

func recordOf(id string, revision int64) *storeidentity.Record {
	return &storeidentity.Record{Anchor: storeidentity.Anchor{StoreID: id, Epoch: 1}, ClusterUID: "cluster", Revision: revision}
}

func TestWhatFitsAndWhatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		seen Seen
		want State
	}{
		"neither id nor record nor objects":          {Seen{}, FirstStart},
		"cut short between id and record":            {Seen{StoreID: "a"}, FirstStart},
		"objects without id and record":              {Seen{Objects: true}, StoreUnmarked},
		"id and objects without record":              {Seen{StoreID: "a", Objects: true}, RecordMissing},
		"id and objects, a record that is none":      {Seen{StoreID: "a", Objects: true, Damage: "x"}, RecordDamaged},
		"nothing, and a record that is none":         {Seen{Damage: "x"}, RecordDamaged},
		"record without id":                          {Seen{Record: recordOf("a", 1)}, StoreEmpty},
		"record without id, with objects":            {Seen{Objects: true, Record: recordOf("a", 1)}, StoreUnmarked},
		"other id":                                   {Seen{StoreID: "b", Objects: true, Revision: 9, Record: recordOf("a", 1)}, StoreForeign},
		"other id, no objects":                       {Seen{StoreID: "b", Revision: 9, Record: recordOf("a", 1)}, StoreForeign},
		"lower revision":                             {Seen{StoreID: "a", Objects: true, Revision: 4, Record: recordOf("a", 5)}, StoreOlder},
		"lower revision before":                      {Seen{StoreID: "a", Objects: true, Revision: 6, Older: true, Record: recordOf("a", 5)}, StoreOlder},
		"same revision":                              {Seen{StoreID: "a", Objects: true, Revision: 5, Record: recordOf("a", 5)}, Fits},
		"higher revision":                            {Seen{StoreID: "a", Objects: true, Revision: 6, Record: recordOf("a", 5)}, Fits},
		"the last object was deleted":                {Seen{StoreID: "a", Revision: 6, Record: recordOf("a", 5)}, Fits},
		"restored, and ahead":                        {Seen{StoreID: "a", Objects: true, Restored: true, Revision: 600, Record: recordOf("a", 5)}, StoreRestored},
		"restored into another installation's place": {Seen{StoreID: "b", Objects: true, Restored: true, Revision: 600, Record: recordOf("a", 5)}, StoreForeign},
	} {
		t.Run(name, func(t *testing.T) {
			c.seen.ClusterUID = "cluster"
			assert.Equal(t, c.want, Decide(c.seen))
			if c.seen.Record == nil {
				return
			}
			c.seen.ClusterUID = "rebuilt"
			assert.Equal(t, ClusterForeign, Decide(c.seen), "in another cluster")
		})
	}
}

func TestEveryRefusalSaysWhatToDo(t *testing.T) {
	for name, c := range map[State]struct {
		seen Seen
		id   string
	}{
		StoreEmpty:     {Seen{Record: recordOf("a", 1)}, "new"},
		StoreUnmarked:  {Seen{Objects: true}, "new"},
		RecordMissing:  {Seen{StoreID: "s", Objects: true}, "s"},
		RecordDamaged:  {Seen{StoreID: "s", Damage: "ConfigMap is no record"}, "s"},
		StoreForeign:   {Seen{StoreID: "s", Record: recordOf("a", 1)}, "s"},
		ClusterForeign: {Seen{StoreID: "s", ClusterUID: "x", Record: recordOf("s", 1)}, "s"},
		StoreRestored:  {Seen{StoreID: "s", Restored: true, Record: recordOf("s", 1)}, "s"},
		StoreOlder:     {Seen{StoreID: "s", Record: recordOf("s", 7), Revision: 3}, "s"},
	} {
		message := Message(name, c.seen, "roadstead-system", nil)
		assert.Contains(t, message, "roadstead-apiserver accept-store --id="+c.id+" --reason=\"...\"", name)
		assert.NotContains(t, message, "--namespace", name)
		assert.NotContains(t, message, "%!", name)
		assert.Contains(t, Message(name, c.seen, "other", nil), "--namespace=other", name)
	}
	require.Contains(t, Message(RecordDamaged, Seen{Damage: "x"}, "n", nil), "--id=new")
	for _, state := range []State{Unchecked, StoreUnreachable, HostUnreachable, FirstStart} {
		message := Message(state, Seen{}, "n", errors.New("no route"))
		assert.NotContains(t, message, "accept-store", state)
		assert.Equal(t, state != Unchecked, strings.Contains(message, "no route"), state)
	}
}
