// SPDX-License-Identifier: Apache-2.0

// Package flight shares the result of a request among concurrent callers. It is
// golang.org/x/sync/singleflight with contexts: no caller waits longer than its own context, and a
// caller that leaves does not fail the others.
package flight

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrLate is wrapped by the error of a caller whose context ended before the result was available.
var ErrLate = errors.New("no complete answer in time")

// Group shares the requests with the same key. The zero value is ready to use.
type Group[K comparable, V any] struct {
	mu      sync.Mutex
	flights map[K]*flight[V]
}

type flight[V any] struct {
	// callers is the number of waiting callers. It is guarded by the mutex of the group.
	callers int
	cancel  context.CancelFunc
	// done is closed once the other fields are final.
	done     chan struct{}
	value    V
	err      error
	panicked any
}

// Do calls request, unless a call for the key is in flight, and returns its result. The context of
// request has the values of the first caller's context, and is canceled when no caller is waiting
// any more. If ctx ends first, Do returns an error that wraps ErrLate and the error of ctx. A panic
// of request is propagated to the callers.
func (g *Group[K, V]) Do(ctx context.Context, key K, request func(context.Context) (V, error)) (V, error) {
	f := g.join(ctx, key, request)
	select {
	case <-f.done:
	case <-ctx.Done():
		g.leave(key, f)
		var none V
		return none, fmt.Errorf("%w: %w", ErrLate, ctx.Err())
	}
	if f.panicked != nil {
		panic(f.panicked)
	}
	return f.value, f.err
}

func (g *Group[K, V]) join(ctx context.Context, key K, request func(context.Context) (V, error)) *flight[V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.flights[key]; f != nil {
		f.callers++
		return f
	}
	if g.flights == nil {
		g.flights = map[K]*flight[V]{}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight[V]{callers: 1, cancel: cancel, done: make(chan struct{})}
	g.flights[key] = f
	go func() {
		defer func() {
			f.panicked = recover()
			g.end(key, f)
			cancel()
			close(f.done)
		}()
		f.value, f.err = request(ctx)
	}()
	return f
}

// leave removes a caller that no longer waits. The last one cancels the request.
func (g *Group[K, V]) leave(key K, f *flight[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f.callers--; f.callers == 0 {
		g.removeLocked(key, f)
		f.cancel()
	}
}

// end removes the flight, so that the next caller starts a new request.
func (g *Group[K, V]) end(key K, f *flight[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.removeLocked(key, f)
}

func (g *Group[K, V]) removeLocked(key K, f *flight[V]) {
	if g.flights[key] == f {
		delete(g.flights, key)
	}
}
