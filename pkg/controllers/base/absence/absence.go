// SPDX-License-Identifier: Apache-2.0

// Package absence remembers since when outside objects have been missing. It is memory of a
// process: after a restart, each absence is observed again from the beginning.
package absence

import (
	"sync"
	"time"
)

// Tracker holds, for each key, the time of the first complete list since which the object was
// missing in every list. The zero value is ready for use, also by several goroutines.
type Tracker[K comparable] struct {
	mu    sync.Mutex
	since map[K]time.Time
}

// Missing notes that the object is missing in the complete list that was begun at the given time,
// and returns since when it has been.
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

// Present notes that the object exists, or that it is no longer of interest.
func (t *Tracker[K]) Present(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.since, key)
}

// Since returns since when the object has been missing, the zero time if it is not known to be.
func (t *Tracker[K]) Since(key K) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.since[key]
}
