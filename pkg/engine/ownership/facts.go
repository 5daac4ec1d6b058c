// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

const (
	// FactPasswordAccepted states that the password was accepted for the login. Its parts are the URL, the
	// domain ID, the user ID and the password.
	FactPasswordAccepted = "password-accepted"

	// MinSeed is the minimum size of a seed in bytes.
	MinSeed = 32
	// factsPurpose separates the key from others that are derived from the same seed.
	factsPurpose = "roadstead.dev/ownership/facts"
)

// Facts stores what was found out as a keyed hash of everything that it depends on. A fact is known
// only if the hash is equal when it is computed again, so a changed part, a copied status or another
// seed invalidates it. Without the key, the hash cannot be used to verify a guessed password.
type Facts struct{ key []byte }

// NewFacts returns the facts of an installation with the seed. It returns an error if the seed
// has less than MinSeed bytes.
func NewFacts(seed []byte) (*Facts, error) {
	if len(seed) < MinSeed {
		return nil, fmt.Errorf("derive the key of facts: the seed has %d bytes, at least %d are required", len(seed), MinSeed)
	}
	key, err := hkdf.Key(sha256.New, seed, nil, factsPurpose, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key of facts: %w", err)
	}
	return &Facts{key: key}, nil
}

// Know stores the fact.
func (f *Facts) Know(status *Status, name string, parts ...string) {
	if status.Facts == nil {
		status.Facts = map[string]string{}
	}
	status.Facts[name] = hex.EncodeToString(f.sum(name, parts))
}

// Known reports whether the fact is stored for exactly these parts.
func (f *Facts) Known(status *Status, name string, parts ...string) bool {
	if status == nil {
		return false
	}
	stored, err := hex.DecodeString(status.Facts[name])
	return err == nil && hmac.Equal(stored, f.sum(name, parts))
}

// sum returns the HMAC-SHA256 of the name and the parts. Each is preceded by its length, so that
// different lists of parts have different inputs.
func (f *Facts) sum(name string, parts []string) []byte {
	mac := hmac.New(sha256.New, f.key)
	for _, part := range append([]string{name}, parts...) {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return mac.Sum(nil)
}
