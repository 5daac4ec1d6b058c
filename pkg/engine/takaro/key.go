// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"crypto/sha256"
	"encoding/binary"
)

// Key identifies an Endpoint: its URL, CA and token, and whose credentials these are. Everything that one use of
// Takaro may exhaust or break belongs to a key, so that it cannot affect another: connections, rate, circuit, slots
// and cached tokens. A key is a digest and contains no part of the token.
type Key [sha256.Size]byte

// Key returns the key of e. URLs that differ only in their notation have the same key.
func (e Endpoint) Key() Key {
	url := e.URL
	if normalized, err := NormalizeURL(url); err == nil {
		url = normalized
	}
	owner := byte(0)
	if e.Own {
		owner = 1
	}
	h := sha256.New()
	// Each part has its length before it, so that no two lists of parts have the same digest.
	for _, part := range [][]byte{{owner}, []byte(url), e.CABundle, []byte(e.AdminToken.Reveal())} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return Key(h.Sum(nil))
}
