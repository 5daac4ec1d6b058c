// SPDX-License-Identifier: Apache-2.0

package user

import (
	"strings"
	"testing"
)

// FuzzDerive requires that Takaro accepts every generated password, that it does not depend on the
// case of the e-mail address, and that no other identity has it.
func FuzzDerive(f *testing.F) {
	f.Add([]byte("seed"), "https://api.takaro.example", "demo", "Ann@Example.com")
	f.Add([]byte{}, "", "", "")
	f.Add([]byte{0}, "a", "b\x00", "İ")
	f.Fuzz(func(t *testing.T, seed []byte, endpoint, namespace, email string) {
		password := derive(seed, endpoint, namespace, email).Reveal()
		if len(password) != passwordLength || strings.Trim(password, alphabet) != "" {
			t.Fatalf("%q is no password", password)
		}
		if again := derive(seed, endpoint, namespace, strings.ToLower(email)).Reveal(); again != password {
			t.Fatalf("%q and its lower-case form have different passwords", email)
		}
		// The parts are delimited: moving characters from one part to the next results in another
		// password.
		if derive(seed, endpoint+namespace, "", email).Reveal() == password && namespace != "" {
			t.Fatalf("%q and %q run into each other", endpoint, namespace)
		}
		if derive(seed, endpoint, namespace, email+"x").Reveal() == password {
			t.Fatal("two identities have one password")
		}
	})
}
