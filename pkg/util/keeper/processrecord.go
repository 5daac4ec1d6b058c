// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"context"
	"slices"
	"sync"
)

// ProcessRecord is a Record that ends with the process: for a Secret whose dependents determine
// which values they need, or which can be replaced. It is for one Secret. The zero value is empty.
type ProcessRecord struct {
	mu     sync.Mutex
	prints []string
}

// Fingerprints implements Record.
func (r *ProcessRecord) Fingerprints(string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.prints)
}

// SetFingerprints implements Record.
func (r *ProcessRecord) SetFingerprints(_ context.Context, _ string, prints []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prints = slices.Clone(prints)
	return nil
}
