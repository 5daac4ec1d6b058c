// SPDX-License-Identifier: Apache-2.0

package fair

// fifo is a first-in-first-out list.
type fifo[T any] []T

func (f *fifo[T]) push(item T) { *f = append(*f, item) }

// pop removes and returns the first item. It panics if there is none.
func (f *fifo[T]) pop() T {
	item := (*f)[0]
	clear((*f)[:1]) // the array outlives the item
	*f = (*f)[1:]
	return item
}

func (f *fifo[T]) len() int { return len(*f) }
