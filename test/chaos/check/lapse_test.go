// SPDX-License-Identifier: Apache-2.0

package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

func TestDifference(t *testing.T) {
	stays := takaro.Domain{ID: "1", Users: []takaro.User{{ID: "7"}}}
	before := []takaro.Domain{stays, {ID: "2", GameServers: []takaro.GameServer{{ID: "9"}}}}
	stays.Users = []takaro.User{{ID: "8"}}
	after := []takaro.Domain{stays, {ID: "3"}}
	require.Equal(t, Lapse{
		At: at(1), Lost: map[string]bool{"2": true, "7": true, "9": true}, Returned: map[string]bool{"3": true, "8": true},
	}, Difference(at(1), before, after))
}

func TestLapses(t *testing.T) {
	l := Lapses{{At: at(1), Lost: map[string]bool{"a": true}}, {At: at(3), Returned: map[string]bool{"a": true}}}
	require.False(t, l.Lost("a", at(0)))
	require.True(t, l.Lost("a", at(2)))
	require.False(t, l.Lost("a", at(3)))
	require.False(t, l.Lost("b", at(2)))
	require.Equal(t, at(3), l.Returned("a"))
	require.True(t, l.Returned("b").IsZero())
	require.Equal(t, at(3), l.Last())
	require.Equal(t, time.Time{}, Lapses(nil).Last())
}
