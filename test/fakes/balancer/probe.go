// SPDX-License-Identifier: Apache-2.0

package balancer

import (
	"context"
	"errors"
	"slices"
	"time"
)

// watch probes a backend until it is removed.
func (b *Balancer) watch(one *backend) {
	defer b.running.Done()
	ticker := time.NewTicker(b.options.Every)
	defer ticker.Stop()
	for {
		if !b.judge(one, b.probe(one)) {
			return
		}
		select {
		case <-b.ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (b *Balancer) probe(one *backend) error {
	ctx, cancel := context.WithTimeout(b.ctx, b.options.Every)
	defer cancel()
	if b.silent(one) {
		// The probe's packets are dropped too.
		<-ctx.Done()
		return errors.New("no answer")
	}
	return b.options.Probe(ctx, one.address)
}

// judge records the result of a probe and reports whether the backend still exists.
func (b *Balancer) judge(one *backend, err error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		one.ready, one.failures = true, 0
	} else {
		one.failures++
		one.ready = one.ready && one.failures < max(1, b.options.Failures)
	}
	return slices.Contains(b.backends, one)
}

func (b *Balancer) silent(one *backend) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return one.silent
}

// pick returns the next ready backend, or nil if there is none.
func (b *Balancer) pick() *backend {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.backends {
		b.next++
		if one := b.backends[b.next%len(b.backends)]; one.ready {
			one.connections++
			return one
		}
	}
	return nil
}
