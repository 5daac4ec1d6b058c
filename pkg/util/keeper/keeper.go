// SPDX-License-Identifier: Apache-2.0

// Package keeper keeps a Secret whose values are generated once and cannot be replaced, because something depends on them:
// encryption seeds, keys, root passwords. A value that was in use is never replaced by a new one while anything depends on
// it. If the Secret is deleted or overwritten, a running process restores it from memory. A process that starts without a
// value that is in use is refused, until the Secret is restored from a backup.
package keeper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
)

// AcceptAnnotation on a Secret with a single value holds the fingerprint of a value that an administrator replaced on
// purpose.
const AcceptAnnotation = "roadstead.dev/accept-fingerprint"

// Spec describes a once-only Secret.
type Spec struct {
	// Name is the name of the Secret.
	Name string
	// Controller is the name of the controller in events, by default that of the API server.
	Controller string
	// Labels are set on a Secret that is created. They are optional.
	Labels map[string]string
	// Single reports that the Secret has one value, not a list. A missing value of a list is
	// appended to the existing values; a single value replaces the existing one.
	Single bool
	// Generate returns the values of a new Secret. If nil, the Secret is optional and never generated.
	Generate func() ([][]byte, error)
	// Parse returns the values, or an error if the Secret has none or cannot be used.
	Parse func(*corev1.Secret) ([][]byte, error)
	// Render returns the keys of the Secret that hold the values.
	Render func(values [][]byte) map[string][]byte
	// Required returns the values that are needed according to other sources than the record.
	// Optional.
	Required func(ctx context.Context, secret, remembered [][]byte) (Required, error)
	// Dependents reports whether anything depends on the values. An error means that this is unknown.
	Dependents func(context.Context) (bool, error)
	// Replaceable allows new values to be generated in place of lost ones although something depends on them.
	Replaceable bool
	// Loss completes the message of a refusal. It describes in full sentences the consequence of a
	// lost value, and what to do without a backup.
	Loss string
}

// Required are fingerprints of values that the dependents are known to need.
type Required struct {
	// Fingerprints must be in the Secret. A value that the process does not know may have another name here.
	Fingerprints []string
	// Only reports that no other value is needed, whatever is recorded.
	Only bool
}

// Record holds the fingerprints of the values that have been in use, by the name of the Secret. It outlives the process.
type Record interface {
	// Fingerprints returns the recorded fingerprints.
	Fingerprints(name string) []string
	// SetFingerprints replaces the recorded fingerprints.
	SetFingerprints(ctx context.Context, name string, fingerprints []string) error
}

// Fingerprint returns 16 hexadecimal digits that identify a value of a Secret without disclosing the value.
func Fingerprint(name string, value []byte) string {
	sum := sha256.Sum256(append([]byte(name+"\x00"), value...))
	return hex.EncodeToString(sum[:8])
}

// Keeper keeps one Secret.
type Keeper struct {
	spec      Spec
	client    kubernetes.Interface
	namespace string
	record    Record
	published published
	refresh   chan struct{}

	// stepping is held while Get or Run decide and act. Restore does not wait for it: each write is bound to what was read.
	stepping sync.Mutex
	// given are the values that were returned last.
	given [][]byte

	mu sync.Mutex
	// memory holds the values that were read and may still be needed, in the order of the Secret.
	memory [][]byte
}

// New returns a keeper of a Secret in a namespace. It does nothing until Get is called.
func New(spec Spec, client kubernetes.Interface, namespace string, record Record) *Keeper {
	return &Keeper{spec: spec, client: client, namespace: namespace, record: record, refresh: make(chan struct{}, 1)}
}

// Get returns the values of the Secret, after it was generated or restored if necessary. It must be called only while
// Dependents reads the store that belongs to this cluster. The error is a *RefusedError if a value that is in use is
// missing.
func (k *Keeper) Get(ctx context.Context) ([][]byte, error) {
	k.stepping.Lock()
	defer k.stepping.Unlock()
	values, err := k.step(ctx)
	if err == nil {
		k.given = values
	}
	return values, err
}

// Refresh requests that Run evaluates the Secret again, for example after Required has changed.
func (k *Keeper) Refresh() {
	select {
	case k.refresh <- struct{}{}:
	default: // Run has not begun the evaluation that was requested before.
	}
}

func (k *Keeper) fingerprint(value []byte) string { return Fingerprint(k.spec.Name, value) }

func (k *Keeper) remembered() [][]byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.memory
}

// remember adds values to memory, or replaces memory if no other value is needed any longer.
func (k *Keeper) remember(values [][]byte, only bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if only {
		k.memory = values
		return
	}
	k.memory = append(values[:len(values):len(values)], k.lacking(k.memory, values)...)
}

// lacking returns those of the values that are not among the present ones.
func (k *Keeper) lacking(values, present [][]byte) [][]byte {
	known := map[string]bool{}
	for _, value := range present {
		known[k.fingerprint(value)] = true
	}
	var lacking [][]byte
	for _, value := range values {
		if print := k.fingerprint(value); !known[print] {
			known[print] = true
			lacking = append(lacking, value)
		}
	}
	return lacking
}
