// SPDX-License-Identifier: Apache-2.0

// Package encryption encrypts stored objects with seeds of the installation: AES-256-GCM with a new
// key for every write, derived from the seed with HKDF as in KMS v2 (KEP-3299), so that the number
// of writes with a seed is not limited.
package encryption

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/storage/value/encrypt/aes"

	"roadstead.dev/roadstead/pkg/util/names"
)

const (
	// SecretName is the Secret in the installation's namespace that contains the seeds. Without it
	// the objects are lost.
	SecretName = names.EncryptionSecret
	// seedsKey is the key in the Secret. Its value has one seed per line, each base64 of at least
	// SeedSize bytes. The first seed encrypts, all seeds decrypt.
	seedsKey = "seeds"
	// SeedSize is the size in bytes of a generated seed.
	SeedSize = 32
)

// generate returns one new seed.
func generate() ([][]byte, error) {
	seed := make([]byte, SeedSize)
	if _, err := rand.Read(seed); err != nil {
		return nil, err
	}
	return [][]byte{seed}, nil
}

// fromSecret returns the seeds of the Secret.
func fromSecret(secret *corev1.Secret) ([][]byte, error) {
	seeds, err := parse(secret.Data[seedsKey])
	if err != nil {
		return nil, fmt.Errorf("key %q: %w", seedsKey, err)
	}
	return seeds, nil
}

// render returns the content of the Secret for seeds.
func render(seeds [][]byte) map[string][]byte {
	var text strings.Builder
	for _, seed := range seeds {
		text.WriteString(base64.StdEncoding.EncodeToString(seed) + "\n")
	}
	return map[string][]byte{seedsKey: []byte(text.String())}
}

// parse reads one seed per line.
func parse(text []byte) ([][]byte, error) {
	var seeds [][]byte
	for number, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		seed, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(seed) < aes.MinSeedSizeExtendedNonceGCM {
			return nil, fmt.Errorf("line %d is not base64 of %d bytes or more", number+1, aes.MinSeedSizeExtendedNonceGCM)
		}
		seeds = append(seeds, seed)
	}
	if len(seeds) == 0 {
		return nil, errors.New("it has no seed")
	}
	return seeds, nil
}
