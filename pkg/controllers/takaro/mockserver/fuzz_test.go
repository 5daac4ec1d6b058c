// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"strconv"
	"strings"
	"testing"
)

// FuzzIdentity requires that the game servers of a MockServer know themselves, and that those of another one, whatever its
// name, are not taken for them.
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
		// A name that ends like an ordinal makes no identity of another MockServer.
		if _, ok := ordinalOf(other, token); ok {
			t.Fatalf("%q of %s counts as one of %s", token, identityPrefix(mine), identityPrefix(other))
		}
		if _, ok := ordinalOf(mine, strings.ToUpper(token)+"x"); ok {
			t.Fatalf("what is no identity counts as one: %q", token)
		}
	})
}
