// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"strings"
	"testing"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	engine "roadstead.dev/roadstead/pkg/engine/takaro"
)

// FuzzReference requires that two Domains claim the same value exactly if they have the same
// reference in the same Takaro.
func FuzzReference(f *testing.F) {
	f.Add("https://api.takaro.example", "arena", "HTTPS://api.takaro.example:443/", "arena")
	f.Add("https://api.takaro.example", "arena", "https://api.takaro.example/arena", "")
	f.Fuzz(func(t *testing.T, url, name, url2, name2 string) {
		if strings.Contains(name+name2, "\x00") {
			return // no reference may hold one
		}
		key := func(url, name string) string {
			domain := &takaro.Domain{}
			domain.Spec.TakaroAPIURL, domain.Spec.ExternalReferenceID = url, name
			return reference(domain).Key()
		}
		normal, err := engine.NormalizeURL(url)
		normal2, err2 := engine.NormalizeURL(url2)
		one, other := key(url, name), key(url2, name2)
		if (one == "") != (err != nil || name == "") {
			t.Fatalf("%q, %q claim %q", url, name, one)
		}
		if one != "" && (one == other) != (err2 == nil && normal == normal2 && name == name2) {
			t.Fatalf("%q and %q", one, other)
		}
	})
}
