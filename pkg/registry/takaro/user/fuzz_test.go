// SPDX-License-Identifier: Apache-2.0

package user

import (
	"strings"
	"testing"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// FuzzLogin requires that two Users claim the same value exactly if they are the same identity of
// one Domain.
func FuzzLogin(f *testing.F) {
	f.Add("demo", "arena", "Ann@Example.com", "demo", "arena", "ann@example.com")
	f.Add("a", "b", "c", "a", "bc", "")
	f.Fuzz(func(t *testing.T, namespace, domain, email, namespace2, domain2, email2 string) {
		if strings.Contains(namespace+domain+email+namespace2+domain2+email2, "\x00") {
			return // no name and no address may hold one
		}
		userOf := func(namespace, domain, email string) *takaro.User {
			user := &takaro.User{}
			user.Namespace, user.Spec.DomainRef.Name, user.Spec.Email = namespace, domain, email
			return user
		}
		one, other := login(userOf(namespace, domain, email)).Key(), login(userOf(namespace2, domain2, email2)).Key()
		if (one == "") != (domain == "" || email == "") {
			t.Fatalf("%q, %q claim %q", domain, email, one)
		}
		lower, lower2 := strings.ToLower(email), strings.ToLower(email2)
		same := namespace == namespace2 && domain == domain2 && lower == lower2
		if one != "" && (one == other) != same {
			t.Fatalf("%q and %q", one, other)
		}
	})
}
