// SPDX-License-Identifier: Apache-2.0

// Package shortlived holds values that may be kept in memory only for a limited time, such as the
// contents of Secrets.
package shortlived

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Map holds each value until it expires. Unlike the caches of client-go, which check the age when a
// value is read, it removes expired values itself, so that values that are no longer read do not
// remain in memory. A Map is safe for concurrent use.
type Map[K comparable, V any] struct {
	life  time.Duration
	clock clock.WithDelayedExecution

	mu      sync.Mutex
	last    uint64
	entries map[K]entry[V]
}

type entry[V any] struct {
	number uint64
	since  time.Time
	value  V
}

// New returns an empty Map whose values expire after life, which must be greater than 0.
func New[K comparable, V any](life time.Duration, clock clock.WithDelayedExecution) *Map[K, V] {
	return &Map[K, V]{life: life, clock: clock, entries: map[K]entry[V]{}}
}

// Set stores a value. Its lifetime starts now.
func (m *Map[K, V]) Set(key K, value V) {
	now := m.clock.Now()
	m.mu.Lock()
	number := m.begin(key, value, now)
	m.mu.Unlock()
	m.endLater(key, number)
}

// Use is like Get, but restarts the lifetime of the value if at least a third of it has passed. The
// threshold limits the number of timers of a value that is used often.
func (m *Map[K, V]) Use(key K) (V, bool) {
	now := m.clock.Now()
	m.mu.Lock()
	found, ok := m.entries[key]
	if !ok || now.Sub(found.since) < m.life/3 {
		m.mu.Unlock()
		return found.value, ok
	}
	number := m.begin(key, found.value, now)
	m.mu.Unlock()
	m.endLater(key, number)
	return found.value, true
}

// begin stores a value and returns its number. The caller must hold the lock.
func (m *Map[K, V]) begin(key K, value V, now time.Time) uint64 {
	m.last++
	m.entries[key] = entry[V]{number: m.last, since: now, value: value}
	return m.last
}

// endLater starts the timer of a value. The timer function must not refer to the value, since the
// timer outlives a Delete.
func (m *Map[K, V]) endLater(key K, number uint64) {
	m.clock.AfterFunc(m.life, func() { m.expire(key, number) })
}

// expire removes the value that was stored under the number. A newer value is kept.
func (m *Map[K, V]) expire(key K, number uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries[key].number == number {
		delete(m.entries, key)
	}
}

// Get returns the value of a key, and false if there is none. It does not extend the lifetime.
func (m *Map[K, V]) Get(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.entries[key]
	return found.value, ok
}

// Delete removes the value of a key, if there is one.
func (m *Map[K, V]) Delete(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
}

// Len returns the number of values.
func (m *Map[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.entries)
}
