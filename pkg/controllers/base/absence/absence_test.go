// SPDX-License-Identifier: Apache-2.0

package absence

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTracker(t *testing.T) {
	var tracker Tracker[string]
	first := time.Unix(1, 0)
	require.Zero(t, tracker.Since("a"))
	require.Equal(t, first, tracker.Missing("a", first))
	require.Equal(t, first, tracker.Missing("a", first.Add(time.Minute)), "the first list counts")
	require.Zero(t, tracker.Since("b"))
	tracker.Present("a")
	require.Zero(t, tracker.Since("a"))
	require.Equal(t, first.Add(time.Hour), tracker.Missing("a", first.Add(time.Hour)), "a later absence is another one")
}
