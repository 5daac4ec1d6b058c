// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNormalizeURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://api.takaro.io":             "https://api.takaro.io",
		"HTTPS://API.Takaro.IO/":            "https://api.takaro.io",
		" https://api.takaro.io:443/ ":      "https://api.takaro.io",
		"https://api.takaro.io.":            "https://api.takaro.io",
		"http://api.takaro.io:80":           "http://api.takaro.io",
		"http://api.takaro.io:443":          "http://api.takaro.io:443",
		"https://api.takaro.io:0080/x/":     "https://api.takaro.io:80/x",
		"http://127.0.0.1:3000":             "http://127.0.0.1:3000",
		"http://[::1]:3000/":                "http://[::1]:3000",
		"http://[0:0:0:0:0:0:0:1]/":         "http://[::1]",
		"https://h/Base//path/../API/":      "https://h/Base/API",
		"https://my_service.ns.svc.cluster": "https://my_service.ns.svc.cluster",
	} {
		got, err := NormalizeURL(raw)
		require.NoError(t, err, raw)
		assert.Equal(t, want, got, raw)
	}
	for _, raw := range []string{
		"", "api.takaro.io", "ftp://h", "//h", "https://", "https:///x", "https:h", "https://u:s3cret-pw@h",
		"https://h?token=s3cret-pw", "https://h#s3cret-pw",
		"https://h:0", "https://h:65536", "https://h:s3cret-pw", "https://h:-1", "https://bücher.example", "https://a b", "https://a..b",
		"https://.a", "https://h/%zz",
		"http://[fe80::1%25eth0]", "https://h?",
	} {
		_, err := NormalizeURL(raw)
		require.Error(t, err, raw)
		assert.NotContains(t, err.Error(), "s3cret-pw")
	}
}

func TestNormalizeURLIsIdempotent(t *testing.T) {
	parts := rapid.StringMatching(`(?i)https?://[a-z0-9._\-]{1,12}(:[0-9]{1,5})?(/[a-z0-9./%~\-]{0,12})?`)
	rapid.Check(t, func(rt *rapid.T) {
		once, err := NormalizeURL(parts.Draw(rt, "url"))
		if err != nil {
			return
		}
		twice, err := NormalizeURL(once)
		require.NoError(rt, err)
		require.Equal(rt, once, twice)
	})
}
