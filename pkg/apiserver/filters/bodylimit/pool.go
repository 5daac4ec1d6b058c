// SPDX-License-Identifier: Apache-2.0

package bodylimit

import (
	"context"
	"sync"
)

// caller is a user that takes from a pool.
type caller struct {
	name string
	// privileged means that only the limit of the pool holds.
	privileged bool
}

// pool is an amount, of bytes or of places, that requests share.
type pool struct {
	// limit is the amount, and share the part of it that one caller may have.
	limit, share int64

	mu    sync.Mutex
	taken int64
	// callers are the users that have taken something, with the amount.
	callers map[string]int64
	// returned is closed when something is returned. It is nil while no caller waits.
	returned chan struct{}
}

func newPool(limit, share int64) *pool {
	return &pool{limit: limit, share: share, callers: map[string]int64{}}
}

// take takes n and reports whether that much was available.
func (p *pool) take(c caller, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.takeLocked(c, n)
}

func (p *pool) takeLocked(c caller, n int64) bool {
	if p.taken+n > p.limit || (!c.privileged && p.callers[c.name]+n > p.share) {
		return false
	}
	p.taken += n
	p.callers[c.name] += n
	return true
}

// await is take that waits until that much is available, at most until ctx ends.
func (p *pool) await(ctx context.Context, c caller, n int64) bool {
	for {
		returned := p.takeOrWait(c, n)
		if returned == nil {
			return true
		}
		select {
		case <-returned:
		case <-ctx.Done():
			return false
		}
	}
}

// takeOrWait returns nil if it took n, and otherwise a channel that is closed when something is
// returned.
func (p *pool) takeOrWait(c caller, n int64) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.takeLocked(c, n) {
		return nil
	}
	if p.returned == nil {
		p.returned = make(chan struct{})
	}
	return p.returned
}

// put returns n to the pool.
func (p *pool) put(c caller, n int64) {
	if n == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken -= n
	if p.callers[c.name] -= n; p.callers[c.name] == 0 {
		delete(p.callers, c.name)
	}
	if p.returned != nil {
		close(p.returned)
		p.returned = nil
	}
}
