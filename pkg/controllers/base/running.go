// SPDX-License-Identifier: Apache-2.0

package base

import (
	"sync"
	"time"
)

// running tracks the reconciliations of this process that have not ended.
var running inFlight

// inFlight records which reconciliations are running, and since when. The zero value is ready to
// use.
type inFlight struct {
	mu   sync.Mutex
	last uint64
	work map[uint64]work
}

type work struct {
	kind  string
	since time.Time
}

// begin records that the reconciliation of an object of the kind has started. The caller must call
// the returned function when it has ended.
func (f *inFlight) begin(kind string) (end func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.work == nil {
		f.work = map[uint64]work{}
	}
	f.last++
	number := f.last
	f.work[number] = work{kind: kind, since: time.Now()}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.work, number)
	}
}

func (f *inFlight) longest() (kind string, duration time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.work {
		if passed := time.Since(one.since); passed > duration {
			kind, duration = one.kind, passed
		}
	}
	return kind, duration
}

// LongestRunning returns the kind and the duration of the measured reconciliation that has been
// running longest, or "" and 0 if none is running. Each has a deadline of at most DomainTimeout, so
// one that runs much longer ignores its context.
func LongestRunning() (kind string, duration time.Duration) { return running.longest() }
