// SPDX-License-Identifier: Apache-2.0

package check

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExhausted(t *testing.T) {
	for name, tc := range map[string]struct {
		usage Usage
		want  int
	}{
		"within the limits":   {Usage{Peak: 100, Limit: 100, Goroutines: mostGoroutines}, 0},
		"too much memory":     {Usage{Peak: 101, Limit: 100}, 1},
		"too many goroutines": {Usage{Limit: 100, Goroutines: mostGoroutines + 1}, 1},
		"both":                {Usage{Peak: 101, Limit: 100, Goroutines: mostGoroutines + 1}, 2},
	} {
		t.Run(name, func(t *testing.T) { require.Len(t, Exhausted([]Usage{tc.usage}), tc.want) })
	}
}
