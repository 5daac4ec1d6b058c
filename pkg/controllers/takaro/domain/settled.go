// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// settled records the domains that this process created with the only create that was ever sent for
// their object. The zero value is ready to use.
type settled struct {
	mu  sync.Mutex
	ids map[types.UID]string
}

func (s *settled) note(owner types.UID, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[types.UID]string{}
	}
	s.ids[owner] = id
}

func (s *settled) has(owner types.UID, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[owner] == id
}

func (s *settled) forget(owner types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ids, owner)
}
