// SPDX-License-Identifier: Apache-2.0

package base

import "sync"

// Memory holds what a controller determined about objects, each with a key of everything that the
// result depends on. It is not persisted. The zero value is ready to use. A Memory is safe for
// concurrent use.
type Memory[V any] struct {
	mu     sync.Mutex
	byName map[string]finding[V]
}

type finding[V any] struct {
	key   string
	value V
}

// Recall returns the stored value of an object, and whether one was stored with the same key.
func (m *Memory[V]) Recall(name, key string) (value V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found, ok := m.byName[name]; ok && found.key == key {
		return found.value, true
	}
	return value, false
}

// Remember stores the value of an object and replaces any previous one.
func (m *Memory[V]) Remember(name, key string, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byName == nil {
		m.byName = map[string]finding[V]{}
	}
	m.byName[name] = finding[V]{key, value}
}

// Forget removes the value of an object that no longer exists.
func (m *Memory[V]) Forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.byName, name)
}

// Len returns the number of stored values.
func (m *Memory[V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.byName)
}
