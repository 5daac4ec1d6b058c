// SPDX-License-Identifier: Apache-2.0

package shortlived

import (
	"bytes"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestMap(t *testing.T) {
	const life = time.Minute
	for name, c := range map[string]struct {
		do    func(*Map[string, int], *clocktesting.FakeClock)
		value int
		found bool
	}{
		"nothing stored": {func(*Map[string, int], *clocktesting.FakeClock) {}, 0, false},
		"stored":         {func(m *Map[string, int], _ *clocktesting.FakeClock) { m.Set("a", 1) }, 1, true},
		"other key":      {func(m *Map[string, int], _ *clocktesting.FakeClock) { m.Set("b", 1) }, 0, false},
		"life not over":  {func(m *Map[string, int], c *clocktesting.FakeClock) { m.Set("a", 1); c.Step(life - 1) }, 1, true},
		"life over":      {func(m *Map[string, int], c *clocktesting.FakeClock) { m.Set("a", 1); c.Step(life) }, 0, false},
		"deleted":        {func(m *Map[string, int], _ *clocktesting.FakeClock) { m.Set("a", 1); m.Delete("a") }, 0, false},
		"Get does not prolong the life": {func(m *Map[string, int], c *clocktesting.FakeClock) {
			m.Set("a", 1)
			c.Step(life - 1)
			m.Get("a")
			c.Step(1)
		}, 0, false},
		"Use prolongs the life": {func(m *Map[string, int], c *clocktesting.FakeClock) {
			m.Set("a", 1)
			for range 5 {
				c.Step(life - 1)
				m.Use("a")
			}
		}, 1, true},
		"Use of a young value": {func(m *Map[string, int], c *clocktesting.FakeClock) {
			m.Set("a", 1)
			c.Step(life/3 - 1)
			m.Use("a")
			c.Step(life - life/3 + 1)
		}, 0, false},
		"no longer used": {func(m *Map[string, int], c *clocktesting.FakeClock) {
			m.Set("a", 1)
			c.Step(life - 1)
			m.Use("a")
			c.Step(life)
		}, 0, false},
		"Use of nothing": {func(m *Map[string, int], _ *clocktesting.FakeClock) { m.Use("a") }, 0, false},
		"replaced when the life of the first value ends": {func(m *Map[string, int], c *clocktesting.FakeClock) {
			m.Set("a", 1)
			c.Step(life / 2)
			m.Set("a", 2)
			c.Step(life / 2)
		}, 2, true},
		"stored again after a delete": {func(m *Map[string, int], c *clocktesting.FakeClock) {
			m.Set("a", 1)
			c.Step(life / 2)
			m.Delete("a")
			m.Set("a", 3)
			c.Step(life / 2)
		}, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakeClock(time.Now())
			m := New[string, int](life, clock)
			c.do(m, clock)
			value, found := m.Get("a")
			assert.Equal(t, c.value, value)
			assert.Equal(t, c.found, found)
			clock.Step(2 * life)
			assert.Zero(t, m.Len(), "nothing stays")
		})
	}
}

func TestMap_TimersAreBounded(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Now())
	m := New[string, int](time.Minute, clock)
	m.Set("a", 1)
	for range 1000 {
		clock.Step(time.Second)
		m.Use("a")
	}
	assert.LessOrEqual(t, clock.Waiters(), 3)
}

// TestMap_Unreachable checks that a removed value can be garbage collected, even while its timer is
// running.
func TestMap_Unreachable(t *testing.T) {
	for name, remove := range map[string]func(*Map[string, []byte], *clocktesting.FakeClock){
		"life over": func(_ *Map[string, []byte], c *clocktesting.FakeClock) { c.Step(time.Minute) },
		"deleted":   func(m *Map[string, []byte], _ *clocktesting.FakeClock) { m.Delete("a") },
	} {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakeClock(time.Now())
			m := New[string, []byte](time.Minute, clock)
			pointer := setLarge(m, "a")
			runtime.GC()
			require.NotNil(t, pointer.Value(), "it is held")
			remove(m, clock)
			runtime.GC()
			assert.Nil(t, pointer.Value())
			runtime.KeepAlive(m)
			runtime.KeepAlive(clock)
		})
	}
}

// setLarge stores a value that shares no memory with another allocation, and returns a weak pointer
// to it.
func setLarge(m *Map[string, []byte], key string) weak.Pointer[byte] {
	value := bytes.Repeat([]byte("x"), 4096)
	m.Set(key, value)
	return weak.Make(&value[0])
}
