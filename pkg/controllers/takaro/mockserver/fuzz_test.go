// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"strconv"
	"strings"
	"testing"
)

// FuzzIdentity requires that the identities of a MockServer's game servers are recognized, and that
// those of another MockServer, whatever its name, are not.
func FuzzIdentity(f *testing.F) {
	f.Add("uid-1", "game", "uid-2", "game", 0)
	f.Add("uid-1", "game", "uid-1", "game-1", 1)
	f.Add("", "", "", "-", 2147483647)
	f.Fuzz(func(t *testing.T, uid, name, otherUID, otherName string, ordinal int) {
		ordinal = max(ordinal, 0)
		mine, other := named(uid, name), named(otherUID, otherName)
		token := identity(mine, ordinal)
		if got, ok := ordinalOf(mine, token); !ok || got != ordinal {
			t.Fatalf("%q is %d, %v and not %d", token, got, ok, ordinal)
		}
		if len(token) != markLength+1+len(strconv.Itoa(ordinal)) {
			t.Fatalf("%q is longer than its parts", token)
		}
		if identityPrefix(mine) == identityPrefix(other) {
			return
		}
		// A name with a suffix that looks like an ordinal does not result in the identity of
		// another MockServer.
		if _, ok := ordinalOf(other, token); ok {
			t.Fatalf("%q of %s counts as one of %s", token, identityPrefix(mine), identityPrefix(other))
		}
		if _, ok := ordinalOf(mine, strings.ToUpper(token)+"x"); ok {
			t.Fatalf("what is no identity counts as one: %q", token)
		}
	})
}
