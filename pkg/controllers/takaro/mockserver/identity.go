// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// markOf returns the first 8 hex digits of SHA-256 of the object's UID: it tells apart MockServers of one name, in Takaro
// and in Redis.
func markOf(server *v1alpha1.MockServer) string {
	sum := sha256.Sum256([]byte(server.UID))
	return hex.EncodeToString(sum[:])[:8]
}

// identityPrefix is what comes before the ordinal in the identities of a MockServer's game servers.
func identityPrefix(server *v1alpha1.MockServer) string {
	return markOf(server) + "-" + server.Spec.Name + "-"
}

// identity returns the identity token of one game server: at most 49 characters, of which Takaro takes 50.
func identity(server *v1alpha1.MockServer, ordinal int) string {
	return identityPrefix(server) + strconv.Itoa(ordinal)
}

// ordinalOf returns the ordinal of a game server by its identity token, and false when it is not the MockServer's.
func ordinalOf(server *v1alpha1.MockServer, token *string) (int, bool) {
	if token == nil {
		return 0, false
	}
	digits, ours := strings.CutPrefix(*token, identityPrefix(server))
	ordinal, err := strconv.Atoi(digits)
	return ordinal, ours && err == nil && ordinal >= 0 && strconv.Itoa(ordinal) == digits
}

// displayName returns the name of a game server that people see in Takaro.
func displayName(server *v1alpha1.MockServer, ordinal int) string {
	if ordinal == 0 {
		return server.Spec.Name
	}
	return fmt.Sprintf("%s-%d", server.Spec.Name, ordinal)
}
