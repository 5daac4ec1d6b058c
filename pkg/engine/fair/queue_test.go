// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

type item struct {
	group string
	n     int
}

func newItems() *Queue[item] { return NewQueue(func(i item) string { return i.group }) }

func TestQueueServesGroupsInTurn(t *testing.T) {
	q := newItems()
	for n := range 2000 {
		q.Push(item{"crowded", n})
	}
	q.Push(item{"lonely", 0})
	assert.Equal(t, 2001, q.Len())
	assert.Equal(t, item{"crowded", 0}, q.Pop())
	assert.Equal(t, item{"lonely", 0}, q.Pop())
	for n := 1; n < 2000; n++ {
		assert.Equal(t, item{"crowded", n}, q.Pop())
	}
	assert.Zero(t, q.Len())
}

// TestQueue_RequeuedItem checks that an item that is added again immediately gets no additional turns.
func TestQueue_RequeuedItem(t *testing.T) {
	q := newItems()
	q.Push(item{"a", 0})
	q.Push(item{"b", 0})
	for range 3 {
		assert.Equal(t, "a", q.Pop().group)
		q.Push(item{"a", 0})
		assert.Equal(t, "b", q.Pop().group)
		q.Push(item{"b", 0})
	}
}

// TestQueueProperties checks that, with k groups ahead, the next item of a group is returned within k pops,
// that groups keep the order of their items, and that no item is lost or returned twice.
func TestQueueProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, pushed := newItems(), 0
		waiting := map[string][]item{}
		// ahead contains the maximum number of pops before the next item of each waiting group.
		ahead := map[string]int{}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				group := fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "group"))
				if len(waiting[group]) == 0 {
					ahead[group] = len(ahead)
				}
				waiting[group] = append(waiting[group], item{group, pushed})
				q.Push(item{group, pushed})
				pushed++
			},
			"touch": func(*rapid.T) { q.Touch(item{}) },
			"pop": func(t *rapid.T) {
				if q.Len() == 0 {
					t.Skip("empty")
				}
				got := q.Pop()
				assert.Equal(t, waiting[got.group][0], got)
				waiting[got.group] = waiting[got.group][1:]
				delete(ahead, got.group)
				for group := range ahead {
					ahead[group]--
					assert.GreaterOrEqual(t, ahead[group], 0, "group %s waits longer than its turn", group)
				}
				if len(waiting[got.group]) > 0 {
					ahead[got.group] = len(ahead)
				}
			},
			"": func(t *rapid.T) {
				total := 0
				for _, items := range waiting {
					total += len(items)
				}
				assert.Equal(t, total, q.Len())
				assert.Len(t, q.items, len(ahead), "groups without items are forgotten")
			},
		})
	})
}
