// SPDX-License-Identifier: Apache-2.0

package fair

import "slices"

// fifo is a first-in-first-out list.
type fifo[T any] []T

func (f *fifo[T]) push(item T) { *f = append(*f, item) }

// pop removes the first item, which must exist.
func (f *fifo[T]) pop() {
	clear((*f)[:1]) // the array may outlive the item
	*f = (*f)[1:]
}

// remove removes the item at an index. Removing the first item needs no copy.
func (f *fifo[T]) remove(n int) {
	if n == 0 {
		f.pop()
		return
	}
	*f = slices.Delete(*f, n, n+1)
}

func (f *fifo[T]) len() int { return len(*f) }
