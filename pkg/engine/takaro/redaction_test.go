// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestErrorTexts(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"validation": {
			400, `{"meta":{"error":{"code":"ValidationError","details":[{"target":{"name":"ab","password":"s3cret-pw"},` +
				`"value":"s3cret-pw","property":"name","children":[],"constraints":{"isLength":"name must be longer than or equal to 3 ` +
				`characters"}}],"message":"Validation error s3cret-pw"}},"data":{}}`,
			"POST /login: Takaro returned 400 ValidationError: name: name must be longer than or equal to 3 characters",
		},
		"nested": {
			400, `{"meta":{"error":{"code":"ValidationError","details":[{"target":{"x":"s3cret-pw"},"property":"filters",` +
				`"children":[{"value":["s3cret-pw"],"property":"email","constraints":{"b":"two","a":"one"}}]}]}},"data":{}}`,
			"POST /login: Takaro returned 400 ValidationError: filters.email: one, two",
		},
		"pagination": {
			400, `{"meta":{"error":{"code":"ValidationError","details":[{"value":{"limit":"s3cret-pw"},"path":"limit","errors":["limit ` +
				`must be greater than or equal to 1"],"params":{"value":"s3cret-pw"}}],"message":"Invalid s3cret-pw"}},"data":{}}`,
			"POST /login: Takaro returned 400 ValidationError: limit: limit must be greater than or equal to 1",
		},
		"no details": {400, failure("ValidationError", "s3cret-pw"),
			"POST /login: Takaro returned 400 ValidationError: the request was rejected"},
		"strange details": {400, `{"meta":{"error":{"code":"ValidationError","details":{"a":"s3cret-pw"}}}}`,
			"POST /login: Takaro returned 400 ValidationError: the request was rejected"},
		"echo in a constraint": {
			400, `{"meta":{"error":{"code":"ValidationError","details":[{"property":"p","constraints":{"x":"s3cret-pw is too short"}}]}},"data":{}}`,
			"POST /login: Takaro returned 400 ValidationError: p: [redacted] is too short",
		},
		"message": {400, failure("BadRequestError", "Max users (4) limit reached"),
			"POST /login: Takaro returned 400 BadRequestError: Max users (4) limit reached"},
		"message echoes": {403, failure("ForbiddenError", "bad s3cret-pw and "+testToken),
			"POST /login: Takaro returned 403 ForbiddenError: bad [redacted] and [redacted]"},
		"control signs": {400, failure("BadRequestError", "a\nb\tc"), "POST /login: Takaro returned 400 BadRequestError: a b c"},
		"page": {502, htmlPage + "s3cret-pw",
			"POST /login: response with status 502 is not from Takaro: a proxy in front of Takaro failed"},
		"without message": {409, failure("ConflictError", ""), "POST /login: Takaro returned 409 ConflictError"},
	} {
		s := newServer(t, always(c.status, c.body))
		err := newTestClient(t, s.URL).Login(context.Background(), "a@b.c", NewSecret("s3cret-pw"))
		require.Error(t, err, name)
		assert.Equal(t, c.want, err.Error(), name)
	}
}

func TestErrorTextsAreShort(t *testing.T) {
	many := strings.Repeat(`{"property":"p","constraints":{"x":"text"}},`, 50)
	for _, body := range []string{
		failure("BadRequestError", strings.Repeat("ä", 5000)),
		`{"meta":{"error":{"code":"ValidationError","details":[` + strings.TrimSuffix(many, ",") + `]}}}`,
		failure(strings.Repeat("C", 5000), ""),
	} {
		s := newServer(t, always(400, body))
		err := newTestClient(t, s.URL).checkAdmin(context.Background())
		require.Error(t, err)
		assert.Less(t, len(err.Error()), 500)
	}
}

func TestClient_InvalidTokens(t *testing.T) {
	p := newTestPool(t, testOptions(newSkipClock()))
	for _, token := range []string{"", "abc\n", "a b", "ä", "a\x00"} {
		_, err := p.Client(Endpoint{URL: "https://h", AdminToken: NewSecret(token)})
		require.True(t, IsTerminal(err), "%q: %v", token, err)
		if token != "" {
			assert.NotContains(t, err.Error(), token)
		}
	}
}
