// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"slices"

	"k8s.io/client-go/util/workqueue"
)

// Queue returns the items of several groups in turn: one item of each group, then the next one of
// the first group. Within a group, items keep their order. The first item of a group is returned
// after at most one item of each other group, regardless of the number of their items.
//
// It is the storage of a workqueue.Typed, which serializes the calls and removes duplicates.
type Queue[T any] struct {
	groupOf func(T) string
	items   map[string]*fifo[T]
	// turns contains each group that has items once, the next one first.
	turns fifo[string]
	size  int
}

var _ workqueue.Queue[string] = &Queue[string]{}

// NewQueue returns an empty Queue. groupOf returns the group of an item and must always return the
// same one for the same item.
func NewQueue[T any](groupOf func(T) string) *Queue[T] {
	return &Queue[T]{groupOf: groupOf, items: map[string]*fifo[T]{}}
}

// Push adds an item at the end of its group. A group without items gets the last turn.
func (q *Queue[T]) Push(item T) {
	group := q.groupOf(item)
	if q.items[group] == nil {
		q.items[group] = &fifo[T]{}
		q.turns.push(group)
	}
	q.items[group].push(item)
	q.size++
}

// Pop removes and returns the next item. The queue must not be empty.
func (q *Queue[T]) Pop() T {
	item, _ := q.popFirst(func(T) bool { return true })
	return item
}

// popFirst removes and returns the first item that is accepted. Only the next item of each group is
// considered; a group whose item is not accepted keeps its turn.
func (q *Queue[T]) popFirst(accept func(T) bool) (item T, found bool) {
	for n, group := range q.turns {
		if item = (*q.items[group])[0]; !accept(item) {
			continue
		}
		q.turns.remove(n)
		q.items[group].pop()
		q.size--
		if q.items[group].len() > 0 {
			q.turns.push(group)
		} else {
			delete(q.items, group)
		}
		return item, true
	}
	var none T
	return none, false
}

// remove removes the first item of the group that matches.
func (q *Queue[T]) remove(group string, matches func(T) bool) {
	items := q.items[group]
	if items == nil {
		return
	}
	n := slices.IndexFunc(*items, matches)
	if n < 0 {
		return
	}
	items.remove(n)
	q.size--
	if items.len() == 0 {
		delete(q.items, group)
		q.turns.remove(slices.Index(q.turns, group))
	}
}

// Len returns the number of items.
func (q *Queue[T]) Len() int { return q.size }

// Touch does nothing: an item that is added again keeps its place.
func (q *Queue[T]) Touch(T) {}
