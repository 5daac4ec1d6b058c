// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"crypto/sha256"
	"encoding/binary"
)

// Key identifies an Endpoint: its URL, CA and token, and the owner of the credentials. Everything that one use of Takaro
// may exhaust or break is separate for each key, so that it cannot affect others: connections, rate, circuit, slots and
// cached tokens. A key is a digest and contains no part of the token.
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
	// Each part is preceded by its length, so that different lists of parts have different digests.
	for _, part := range [][]byte{{owner}, []byte(url), e.CABundle, []byte(e.AdminToken.Reveal())} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return Key(h.Sum(nil))
}
