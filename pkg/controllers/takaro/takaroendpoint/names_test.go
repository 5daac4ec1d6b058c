// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"
)

func TestNameOf(t *testing.T) {
	cases := map[string]string{
		"https://api.takaro.example":      "api.takaro.example-",
		"https://api.takaro.example:8443": "api.takaro.example-",
		"http://127.0.0.1:3000":           "127.0.0.1-",
		"http://[fd00::1]:3000":           "fd00--1-",
		"https://under_score.example":     "under-score.example-",
	}
	seen := map[string]bool{}
	for address, prefix := range cases {
		name := nameOf(address)
		assert.Regexp(t, "^"+strings.ReplaceAll(prefix, ".", `\.`)+"[0-9a-f]{8}$", name)
		assert.False(t, seen[name])
		seen[name] = true
		assert.Equal(t, name, nameOf(address))
	}
}

func TestNameOf_IsAName(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		host := rapid.OneOf(rapid.StringMatching(`[a-z0-9._\-\[\]:]{0,260}`), rapid.String()).Draw(r, "host")
		name := nameOf("https://" + host)
		if errs := validation.IsDNS1123Subdomain(name); len(errs) > 0 || len(name) > 200 {
			r.Fatalf("%q: %v", name, errs)
		}
	})
}
