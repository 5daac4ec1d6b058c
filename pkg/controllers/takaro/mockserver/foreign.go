// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// foreignIDs remembers the Takaro ids of domains that no Domain stands for, by MockServer.
type foreignIDs struct {
	mu  sync.Mutex
	ids map[types.UID]string
}

func newForeignIDs() *foreignIDs { return &foreignIDs{ids: map[types.UID]string{}} }

func (f *foreignIDs) id(server types.UID) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, known := f.ids[server]
	return id, known
}

func (f *foreignIDs) set(server types.UID, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids[server] = id
}

func (f *foreignIDs) forget(server types.UID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.ids, server)
}
