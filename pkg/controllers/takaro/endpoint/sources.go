// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"fmt"

	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Sources describe, for messages, which Secrets contain the token and CA of an endpoint. They
// contain no values.
type Sources struct {
	// Token is the source of the admin token, CA that of the CA bundle. A source is "" if there is
	// none.
	Token, CA string
}

// String returns both sources.
func (s Sources) String() string {
	if s.CA == "" {
		return s.Token
	}
	return s.Token + ", CA: " + s.CA
}

// Resolved is an endpoint with the sources of its secrets.
type Resolved struct {
	takaro.Endpoint
	From Sources
}

// SecretKey returns the name of a key of a Secret for messages.
func SecretKey(namespace, name, key string) string {
	return fmt.Sprintf("Secret \"%s/%s\" under key %q", namespace, name, key)
}

// fromEnvironment is the source of the token of a Static endpoint.
const fromEnvironment = "the variable TAKARO_API_TOKEN of the controller"
