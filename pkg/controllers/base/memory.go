// SPDX-License-Identifier: Apache-2.0

package base

import "sync"

// Memory holds what a controller found out about objects, each with a key of everything that the finding depends on. It is lost
// with the process. The zero value is ready for use, also by several goroutines.
type Memory[V any] struct {
	mu     sync.Mutex
	byName map[string]finding[V]
}

type finding[V any] struct {
	key   string
	value V
}

// Recall returns what was found out about an object, and whether anything was with the same key.
func (m *Memory[V]) Recall(name, key string) (value V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found, ok := m.byName[name]; ok && found.key == key {
		return found.value, true
	}
	return value, false
}

// Remember stores what was found out about an object in the place of anything that was stored before.
func (m *Memory[V]) Remember(name, key string, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byName == nil {
		m.byName = map[string]finding[V]{}
	}
	m.byName[name] = finding[V]{key, value}
}

// Forget removes an object, which no longer exists.
func (m *Memory[V]) Forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.byName, name)
}

// Len returns how many objects are remembered.
func (m *Memory[V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.byName)
}
