// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"fmt"

	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Sources say for people where the secrets of an endpoint are, to be put right. They hold no value.
type Sources struct {
	// Token is where the admin token is, CA where the CA is: "" without one of its own.
	Token, CA string
}

// String gives both.
func (s Sources) String() string {
	if s.CA == "" {
		return s.Token
	}
	return s.Token + ", CA: " + s.CA
}

// Resolved is an endpoint, and where its secrets came from.
type Resolved struct {
	takaro.Endpoint
	From Sources
}

// SecretKey names a key of a Secret for people.
func SecretKey(namespace, name, key string) string {
	return fmt.Sprintf("Secret \"%s/%s\" under key %q", namespace, name, key)
}

// fromEnvironment is where the token of a Static endpoint is.
const fromEnvironment = "the variable TAKARO_API_TOKEN of the controller"
