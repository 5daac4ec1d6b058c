// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"net/url"

	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Key identifies an endpoint: address, token, CA, and the owner of the credentials. It contains no
// part of the token.
type Key = takaro.Key

// KeyOf returns the key of an endpoint.
func KeyOf(endpoint takaro.Endpoint) Key { return endpoint.Key() }

// SameOrigin reports whether two normalized URLs have the same scheme, host and port.
func SameOrigin(a, b string) bool {
	first, err := url.Parse(a)
	if err != nil {
		return false
	}
	second, err := url.Parse(b)
	return err == nil && first.Scheme == second.Scheme && first.Host == second.Host
}
