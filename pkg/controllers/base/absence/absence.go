// SPDX-License-Identifier: Apache-2.0

// Package absence records since when outside objects have been missing. The record is kept in
// memory: after a restart, each absence is measured again from the beginning.
package absence

import (
	"sync"
	"time"
)

// Tracker holds, for each key, the time of the first complete list since which the object has been
// missing in every list. The zero value is ready to use. A Tracker is safe for concurrent use.
type Tracker[K comparable] struct {
	mu    sync.Mutex
	since map[K]time.Time
}

// Missing records that the object is missing in the complete list that was started at the given
// time, and returns since when the object has been missing.
func (t *Tracker[K]) Missing(key K, at time.Time) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.since == nil {
		t.since = map[K]time.Time{}
	}
	if first, known := t.since[key]; known {
		return first
	}
	t.since[key] = at
	return at
}

// Present records that the object exists, or that its absence is no longer of interest.
func (t *Tracker[K]) Present(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.since, key)
}

// Since returns since when the object has been missing, or the zero time if it is not known to be
// missing.
func (t *Tracker[K]) Since(key K) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.since[key]
}
