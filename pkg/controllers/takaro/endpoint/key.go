// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"crypto/sha256"
	"net/url"

	"roadstead.dev/roadstead/pkg/takaro"
)

// Key tells endpoints apart by address, token and CA without holding the token.
type Key [sha256.Size]byte

// KeyOf returns the key of an endpoint.
func KeyOf(endpoint takaro.Endpoint) Key {
	hash := sha256.New()
	for _, part := range []string{endpoint.URL, endpoint.AdminToken.Reveal(), string(endpoint.CABundle)} {
		sum := sha256.Sum256([]byte(part))
		hash.Write(sum[:])
	}
	return Key(hash.Sum(nil))
}

// SameOrigin tells whether two normalized URLs have the same scheme, host and port.
func SameOrigin(a, b string) bool {
	first, err := url.Parse(a)
	if err != nil {
		return false
	}
	second, err := url.Parse(b)
	return err == nil && first.Scheme == second.Scheme && first.Host == second.Host
}
