// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type claim = Claim[string, string]

var (
	testLimits = Limits{Key: 8, Namespace: 4, Class: map[string]int{"own": 12, "others": 16}, Hold: 10 * time.Second}
	start      = time.Unix(1_000_000, 0)
)

func claimOf(key, class, namespace string, n int) claim {
	return claim{Item: fmt.Sprintf("%s/%s/%d", key, namespace, n), Key: key, Class: class, Namespace: namespace}
}

// enterAll calls TryEnter for n items of a namespace, and returns those that have a slot.
func enterAll(s *Slots[string, string], key, class, namespace string, n int) (entered []string) {
	for i := range n {
		c := claimOf(key, class, namespace, i)
		if ok, _ := s.TryEnter(start, c); ok {
			entered = append(entered, c.Item)
		}
	}
	return entered
}

func TestSlotsAreBounded(t *testing.T) {
	s := NewSlots[string, string](testLimits)
	assert.Len(t, enterAll(s, "tenant", "own", "a", 100), 4, "of a namespace")
	assert.Len(t, enterAll(s, "tenant", "own", "b", 100), 4)
	assert.Empty(t, enterAll(s, "tenant", "own", "c", 100), "the key has no more")
	assert.Len(t, enterAll(s, "other", "own", "d", 100), 4, "the class has no more")
	assert.Empty(t, enterAll(s, "third", "own", "e", 100))
	assert.Len(t, enterAll(s, "main", "others", "a", 100), 4, "another class has its own slots")
	assert.Empty(t, enterAll(s, "main", "unknown", "x", 1), "an unknown class has none")
}

// TestSlots_NextNamespace checks that an item of another namespace gets the second available slot, although
// thousands of items of one namespace wait.
func TestSlots_NextNamespace(t *testing.T) {
	s := NewSlots[string, string](Limits{Key: 4, Namespace: 4, Class: testLimits.Class, Hold: testLimits.Hold})
	first := enterAll(s, "key", "own", "crowded", 2000)
	require.Len(t, first, 4)
	lonely := claimOf("key", "own", "lonely", 0)
	entered, woken := s.TryEnter(start, lonely)
	assert.False(t, entered)
	assert.Empty(t, woken)
	assert.Equal(t, []string{"key/crowded/4"}, s.Leave(start, first[0]))
	assert.Equal(t, []string{lonely.Item}, s.Leave(start, first[1]))
	entered, _ = s.TryEnter(start, claimOf("key", "own", "late", 0))
	assert.False(t, entered, "the slot is reserved")
	entered, _ = s.TryEnter(start.Add(9*time.Second), lonely)
	assert.True(t, entered)
}

func TestReservationEnds(t *testing.T) {
	s := NewSlots[string, string](Limits{Key: 1, Namespace: 1, Class: testLimits.Class, Hold: testLimits.Hold})
	first := enterAll(s, "key", "own", "a", 3)
	assert.Equal(t, []string{"key/a/1"}, s.Leave(start, first[0]))
	assert.Equal(t, start.Add(testLimits.Hold), s.Next())
	assert.Empty(t, s.Expire(start.Add(testLimits.Hold-1)))
	assert.Equal(t, []string{"key/a/2"}, s.Expire(start.Add(testLimits.Hold)), "the next one has it then")
	entered, _ := s.TryEnter(start.Add(testLimits.Hold), claimOf("key", "own", "a", 1))
	assert.False(t, entered, "it is too late, and last again")
	assert.Equal(t, []string{"key/a/1"}, s.Leave(start, "key/a/2"))
}

// TestSlots_ClaimChanges checks that an object whose Secret changes while it waits then waits for the other
// endpoint.
func TestSlots_ClaimChanges(t *testing.T) {
	s := NewSlots[string, string](Limits{Key: 1, Namespace: 1, Class: testLimits.Class, Hold: testLimits.Hold})
	enterAll(s, "old", "own", "a", 1)
	item := claimOf("old", "own", "a", 1)
	s.TryEnter(start, item)
	item.Key = "new"
	entered, _ := s.TryEnter(start, item)
	assert.True(t, entered)
	item.Key = "old"
	entered, _ = s.TryEnter(start, item)
	assert.False(t, entered)
	assert.Empty(t, s.keys["new"], "it gave back the other slot")
	assert.Equal(t, []string{item.Item}, s.Leave(start, "old/a/0"))
}

// TestSlotsProperties checks for any sequence of calls that limits hold, that no slot leaks, and that no item
// waits for a slot that is available for it.
func TestSlotsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now := NewSlots[string, string](testLimits), start
		// reserved are the woken items with their times; entered and parked are the results of TryEnter.
		reserved, entered, parked := map[string]time.Time{}, map[string]claim{}, map[string]claim{}
		wake := func(items []string) {
			for _, item := range items {
				require.Contains(t, parked, item, "only who waits is woken")
				delete(parked, item)
				reserved[item] = now.Add(testLimits.Hold)
			}
		}
		expire := func() {
			for item, until := range reserved {
				if !now.Before(until) {
					delete(reserved, item)
				}
			}
		}
		draw := func(t *rapid.T) claim {
			key := rapid.SampledFrom([]string{"k0", "k1", "k2", "k3", "k4"}).Draw(t, "key")
			class := map[bool]string{true: "own", false: "others"}[key < "k2"]
			return claimOf(key, class, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "namespace"), rapid.IntRange(0, 9).Draw(t, "n"))
		}
		t.Repeat(map[string]func(*rapid.T){
			"enter": func(t *rapid.T) {
				c := draw(t)
				_, had := entered[c.Item]
				expire()
				_, mine := reserved[c.Item]
				ok, woken := s.TryEnter(now, c)
				require.True(t, ok || !had && !mine, "what is held stays held")
				wake(slices.DeleteFunc(woken, func(item string) bool { return item == c.Item }))
				delete(parked, c.Item)
				delete(reserved, c.Item)
				if ok {
					entered[c.Item] = c
				} else {
					parked[c.Item] = c
				}
			},
			"leave": func(t *rapid.T) {
				c := draw(t)
				delete(entered, c.Item)
				delete(reserved, c.Item)
				delete(parked, c.Item)
				wake(s.Leave(now, c.Item))
			},
			"wait": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 12).Draw(t, "seconds")) * time.Second)
				expire()
				wake(s.Expire(now))
			},
			"": func(t *rapid.T) { checkSlots(t, s, len(entered)+len(reserved), len(parked)) },
		})
		for item := range parked {
			s.Leave(now, item)
		}
		for item := range s.holders {
			s.Leave(now, item)
		}
		for _, left := range []int{len(s.holders), len(s.parked), len(s.waiting), len(s.turns), len(s.keys), len(s.namespaces), len(s.classes)} {
			require.Zero(t, left, "everything is given back")
		}
	})
}

func checkSlots(t require.TestingT, s *Slots[string, string], held, parked int) {
	require.Len(t, s.holders, held)
	require.Len(t, s.parked, parked)
	keys, namespaces, classes := map[string]int{}, map[place[string]]int{}, map[string]int{}
	for _, holder := range s.holders {
		keys[holder.claim.Key]++
		namespaces[placeOf(holder.claim)]++
		classes[holder.claim.Class]++
	}
	require.Equal(t, keys, s.keys)
	require.Equal(t, namespaces, s.namespaces)
	require.Equal(t, classes, s.classes)
	for key, n := range keys {
		require.LessOrEqual(t, n, testLimits.Key, key)
	}
	for at, n := range namespaces {
		require.LessOrEqual(t, n, testLimits.Namespace, at)
	}
	for class, n := range classes {
		require.LessOrEqual(t, n, testLimits.Class[class], class)
	}
	for _, claim := range s.parked {
		require.False(t, s.fits(claim), "%s could have a slot", claim.Item)
	}
}

// TestSlots_NoStarvation checks that every parked item gets a slot if the holders of slots leave: with n
// namespaces ahead at its key, the next item of a namespace after at most n others of that key.
func TestSlots_NoStarvation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewSlots[string, string](testLimits)
		var running []string
		waiting := map[place[string]]int{}
		ahead := map[place[string]]int{} // maximum number of items of the key before the next item
		keyOf := map[string]claim{}
		for range rapid.IntRange(1, 200).Draw(t, "items") {
			key := rapid.SampledFrom([]string{"k0", "k1", "k2", "k3"}).Draw(t, "key")
			class := map[bool]string{true: "own", false: "others"}[key < "k2"]
			c := claimOf(key, class, fmt.Sprint(rapid.IntRange(0, 6).Draw(t, "namespace")), len(keyOf))
			keyOf[c.Item] = c
			if ok, _ := s.TryEnter(start, c); ok {
				running = append(running, c.Item)
				continue
			}
			waiting[placeOf(c)]++
		}
		namespaces := map[string]int{}
		for at := range waiting {
			namespaces[at.key]++
		}
		for at := range waiting {
			ahead[at] = namespaces[at.key]
		}
		served := len(running)
		for len(running) > 0 {
			n := rapid.IntRange(0, len(running)-1).Draw(t, "leaves")
			item := running[n]
			running = slices.Delete(running, n, n+1)
			for _, woken := range s.Leave(start, item) {
				ok, _ := s.TryEnter(start, keyOf[woken])
				require.True(t, ok)
				running = append(running, woken)
				served++
				at := placeOf(keyOf[woken])
				waiting[at]--
				for other := range ahead {
					full := s.namespaces[other] >= testLimits.Namespace
					if other.key == at.key && other != at && waiting[other] > 0 && !full {
						ahead[other]--
						require.GreaterOrEqual(t, ahead[other], 0, "%v waits longer than its turn", other)
					}
				}
				ahead[at] = namespaces[at.key]
			}
		}
		require.Len(t, keyOf, served, "everybody had a slot")
	})
}
