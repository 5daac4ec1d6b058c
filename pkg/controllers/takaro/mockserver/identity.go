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

// The lengths of a mark in hex digits. The 32 bits of releases without a ledger are not enough to
// distinguish thousands of MockServers. MockServers that were created with such a mark keep it.
const (
	markLength        = 20
	earlierMarkLength = 8
)

// markOf returns the mark that distinguishes the MockServer's identities and saved state from those
// of all others: the recorded one, or the first hex digits of the SHA-256 hash of the object's UID.
func markOf(server *v1alpha1.MockServer) string {
	sum := sha256.Sum256([]byte(server.UID))
	digits := hex.EncodeToString(sum[:])
	if server.Status.Ownership == nil && begunEarlier(server) {
		return digits[:earlierMarkLength]
	}
	return ledgerOf(server).Key(kindState, digits[:markLength])
}

// identityPrefix returns the part of the identities of a MockServer's game servers that precedes
// the ordinal.
func identityPrefix(server *v1alpha1.MockServer) string {
	mark := markOf(server)
	if len(mark) == earlierMarkLength {
		return mark + "-" + server.Spec.Name + "-"
	}
	return mark + "-"
}

// identity returns the identity token of a game server. Takaro accepts 3 to 50 characters.
func identity(server *v1alpha1.MockServer, ordinal int) string {
	return identityPrefix(server) + strconv.Itoa(ordinal)
}

// ordinalOf returns the ordinal of a game server from its identity token, and false if the token
// does not belong to the MockServer.
func ordinalOf(server *v1alpha1.MockServer, token string) (int, bool) {
	digits, ours := strings.CutPrefix(token, identityPrefix(server))
	ordinal, err := strconv.Atoi(digits)
	return ordinal, ours && err == nil && ordinal >= 0 && strconv.Itoa(ordinal) == digits
}

// displayName returns the name of a game server that users see in Takaro.
func displayName(server *v1alpha1.MockServer, ordinal int) string {
	if ordinal == 0 {
		return server.Spec.Name
	}
	return fmt.Sprintf("%s-%d", server.Spec.Name, ordinal)
}

// goneName returns the name of a record that is about to be deleted. Takaro keeps the row of a
// deleted game server, and with it the name, for up to two hours.
func goneName(id string) string { return "gone-" + id }
