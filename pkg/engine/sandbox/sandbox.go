// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Options of a Sandbox. The zero value is usable.
type Options struct {
	// Timeout is the time after which a child is killed. Defaults to MaxTime plus two seconds.
	Timeout time.Duration
	// Sample is work that must succeed before the sandbox is used, in addition to the built-in tests; nil for none.
	Sample func(ctx context.Context, seat *Seat) error
}

// Sandbox starts children, two at the same time and one for each namespace. It is safe for concurrent use.
type Sandbox struct {
	options Options
	slots   chan struct{}
	// tested is closed when Test has ended for the first time.
	tested     chan struct{}
	closeFirst sync.Once

	mu         sync.Mutex
	namespaces map[string]bool
	// unusable is the reason why the last test failed; nil if it passed.
	unusable *Error
}

// New returns a Sandbox. It runs nothing until Test or Start has tested it.
func New(options Options) *Sandbox {
	if options.Timeout <= 0 {
		options.Timeout = MaxTime + grace
	}
	return &Sandbox{
		options: options, slots: make(chan struct{}, children), tested: make(chan struct{}), namespaces: map[string]bool{},
	}
}

// Seat allows a namespace to run work sequentially.
type Seat struct {
	sandbox   *Sandbox
	namespace string
	once      sync.Once
}

// Reserve returns the single seat of a namespace, which the caller must release with Leave. It does not wait for other work:
// errors are an *Error of KindBusy or KindUnavailable, or the cause of ctx. It waits only for the first test of the sandbox.
//
// A caller that holds a seat may download the input first: a namespace then holds at most one chart in memory, and one
// connection to a repository.
func (s *Sandbox) Reserve(ctx context.Context, namespace string) (*Seat, error) {
	select {
	case <-s.tested:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unusable != nil {
		return nil, s.unusable
	}
	if s.namespaces[namespace] {
		return nil, &Error{Kind: KindBusy, Message: fmt.Sprintf("other work of namespace %q is running in the sandbox", namespace)}
	}
	s.namespaces[namespace] = true
	return &Seat{sandbox: s, namespace: namespace}, nil
}

// Leave releases the seat. It may be called more than once.
func (s *Seat) Leave() {
	s.once.Do(func() {
		s.sandbox.mu.Lock()
		defer s.sandbox.mu.Unlock()
		delete(s.sandbox.namespaces, s.namespace)
	})
}

// enter waits until another child may run.
func (s *Sandbox) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Sandbox) exit() { <-s.slots }

// Unavailable reports whether the last test failed, so that nothing is run. It is false before the first test has ended.
func (s *Sandbox) Unavailable() bool { return s.usable() != nil }

// usable returns why the sandbox is not usable, or nil.
func (s *Sandbox) usable() *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unusable
}

func (s *Sandbox) setUsable(why *Error) {
	s.mu.Lock()
	s.unusable = why
	s.mu.Unlock()
	s.closeFirst.Do(func() { close(s.tested) })
}
