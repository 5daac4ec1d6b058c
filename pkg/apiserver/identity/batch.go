// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"sync"
)

// batch lets callers share runs of a function. A caller gets the result of a run that began after it had called: a run
// that was already under way could have seen an older world.
type batch struct {
	run func() error

	mu      sync.Mutex
	running bool
	next    *shared
}

type shared struct {
	done chan struct{}
	err  error
}

// do returns the error of such a run, or that of ctx when it ends first.
func (b *batch) do(ctx context.Context) error {
	b.mu.Lock()
	if b.next == nil {
		b.next = &shared{done: make(chan struct{})}
	}
	mine := b.next
	if !b.running {
		b.running = true
		go b.work()
	}
	b.mu.Unlock()
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// work runs until nobody waits.
func (b *batch) work() {
	for {
		b.mu.Lock()
		turn := b.next
		b.next = nil
		if turn == nil {
			b.running = false
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		turn.err = b.run()
		close(turn.done)
	}
}
