// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
)

// limited returns a limit for MockServers with one game server each.
func limited(clock *testingclock.FakeClock, servers, unreachable int) *restartLimit {
	l := newRestartLimit(clock)
	for i := range servers {
		var lost []string
		if i < unreachable {
			lost = []string{fmt.Sprintf("team/server-%02d", i)}
		}
		l.note(endpoint.Key{}, types.UID(fmt.Sprint(i)), 1, lost)
	}
	return l
}

// allowed returns how many restarts are allowed within a period, with one attempt per second.
func allowed(clock *testingclock.FakeClock, l *restartLimit, within time.Duration) (n int) {
	for range int(within / time.Second) {
		for {
			if wait, _ := l.take(endpoint.Key{}, 1); wait > 0 {
				break
			}
			n++
		}
		clock.Step(time.Second)
	}
	return n
}

func TestRestartLimit_ATenthAMinute(t *testing.T) {
	for _, c := range []struct{ servers, unreachable, want int }{
		{1, 1, 5}, {3, 3, 5}, {9, 4, 5}, {40, 20, 20}, {100, 50, 50},
	} {
		clock := testingclock.NewFakeClock(time.Now())
		assert.Equal(t, c.want, allowed(clock, limited(clock, c.servers, c.unreachable), 5*time.Minute), "%+v", c)
	}
}

func TestRestartLimit_HoldsWhenMostAreUnreachable(t *testing.T) {
	clock := testingclock.NewFakeClock(time.Now())
	l := limited(clock, 100, 51)
	assert.Equal(t, 1, allowed(clock, l, probePeriod), "one pod tries whether a restart helps")
	_, held := l.take(endpoint.Key{}, 1)
	assert.Empty(t, held, "the next one tries")
	wait, held := l.take(endpoint.Key{}, 1)
	assert.Equal(t, heldPause, wait)
	assert.Contains(t, held, "51 of 100 game servers of this Takaro are unreachable")

	l.note(endpoint.Key{}, "7", 1, nil) // 50 are left
	assert.Equal(t, 10, allowed(clock, l, time.Minute), "it ends by itself")
}

// After a restart of the connector, no game server registers again without a restart of its pod.
func TestRestartLimit_ResumesWhenAProbeIsReached(t *testing.T) {
	clock := testingclock.NewFakeClock(time.Now())
	l := limited(clock, 100, 100)
	assert.Equal(t, 1, allowed(clock, l, time.Minute))
	l.note(endpoint.Key{}, "0", 1, nil)
	assert.Equal(t, 30, allowed(clock, l, 3*time.Minute))
	l = limited(clock, 100, 100)
	l.note(endpoint.Key{}, "0", 1, []string{"team/server-00"})
	assert.Equal(t, 1, allowed(clock, l, time.Minute), "nothing was reached")
}

func TestRestartLimit_Forgets(t *testing.T) {
	clock := testingclock.NewFakeClock(time.Now())
	l := limited(clock, 10, 10)
	wait, _ := l.take(endpoint.Key{}, 1)
	assert.Zero(t, wait)
	for i := range 7 {
		l.forget(types.UID(fmt.Sprint(i)))
	}
	_, held := l.take(endpoint.Key{}, 1)
	assert.Empty(t, held, "three are too few to be held")
	l.note(endpoint.Key{1}, "9", 1, []string{"team/server-09"})
	assert.Len(t, l.endpoints[endpoint.Key{}].servers, 2, "the token was changed")
	wait, _ = l.take(endpoint.Key{2}, 1)
	assert.Zero(t, wait, "another endpoint")
}

func TestRestartLimit_IsShown(t *testing.T) {
	clock := testingclock.NewFakeClock(time.Now())
	shown := map[string]int{}
	l := newRestartLimit(clock)
	l.show = func(at types.NamespacedName, _ endpoint.Key, pods []string) { shown[at.Name] = len(pods) }
	note := func(i int, lost ...string) {
		uid := types.UID(fmt.Sprint(i))
		l.locate(uid, types.NamespacedName{Namespace: "team", Name: fmt.Sprint("takaro", i%2)})
		l.note(endpoint.Key{}, uid, 1, lost)
	}
	for i := range 10 {
		note(i)
	}
	for i := range 5 {
		note(i, fmt.Sprintf("team/server-%d", i))
	}
	assert.Empty(t, shown, "not all are known yet")
	clock.Step(settling)
	note(0, "team/server-0")
	assert.Equal(t, map[string]int{"takaro0": 0, "takaro1": 0}, shown, "half of all")
	note(5, "team/server-5")
	assert.Equal(t, map[string]int{"takaro0": 3, "takaro1": 3}, shown)
	note(7, "team/server-7")
	assert.Equal(t, map[string]int{"takaro0": 3, "takaro1": 4}, shown)
	l.forget("7")
	assert.Equal(t, map[string]int{"takaro0": 3, "takaro1": 3}, shown)
	note(0)
	assert.Equal(t, map[string]int{"takaro0": 0, "takaro1": 0}, shown, "it ends by itself")

	for i := range 10 {
		l.forget(types.UID(fmt.Sprint(i)))
	}
	assert.Empty(t, l.places)
}
