// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"strings"
	"testing"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	engine "roadstead.dev/roadstead/pkg/takaro"
)

// FuzzClaimKey requires that two Domains claim the same exactly when they type one reference of one Takaro.
func FuzzClaimKey(f *testing.F) {
	f.Add("https://api.takaro.example", "arena", "HTTPS://api.takaro.example:443/", "arena")
	f.Add("https://api.takaro.example", "arena", "https://api.takaro.example/arena", "")
	f.Fuzz(func(t *testing.T, url, reference, url2, reference2 string) {
		if strings.Contains(reference+reference2, "\x00") {
			return // no reference may hold one
		}
		key := func(url, reference string) string {
			domain := &takaro.Domain{}
			domain.Spec.TakaroAPIURL, domain.Spec.ExternalReferenceID = url, reference
			return claimKey(domain)
		}
		normal, err := engine.NormalizeURL(url)
		normal2, err2 := engine.NormalizeURL(url2)
		one, other := key(url, reference), key(url2, reference2)
		if (one == "") != (err != nil || reference == "") {
			t.Fatalf("%q, %q claim %q", url, reference, one)
		}
		if one != "" && (one == other) != (err2 == nil && normal == normal2 && reference == reference2) {
			t.Fatalf("%q and %q", one, other)
		}
	})
}
