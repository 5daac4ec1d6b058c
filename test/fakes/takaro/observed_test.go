// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const nobody = "11111111-1111-4111-8111-111111111111"

// TestObserved covers behavior of the real API that was observed, or is stated by its contract, in
// addition to the recorded exchanges.
func TestObserved(t *testing.T) {
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		code, message            string // of the error; empty for 200
	}{
		{"duplicate reference", "POST", "/domain", `{"name":"two","externalReference":"ref-one"}`, nil, 409, codeConflict,
			"Unique constraint violation"},
		{"no name", "POST", "/domain", `{}`, nil, 400, codeValidation, "Validation error"},
		{"limit as text", "POST", "/domain", `{"name":"two","maxUsers":"3"}`, nil, 400, codeValidation, "Validation error"},
		{"reference of 2", "POST", "/domain", `{"name":"two","externalReference":"ab"}`, nil, 400, codeValidation, "Validation error"},
		{"null for a column that cannot be", "PUT", "/domain/DOMAIN", `{"maxUsers":null}`, nil, 400, codeBadRequest, "Missing required field"},
		{"broken JSON", "POST", "/domain", `{"name":`, nil, 400, codeBadRequest, "Invalid JSON"},
		{"broken JSON before credentials", "POST", "/domain", `nope`, []string{"X-Takaro-Admin-Token", ""}, 400, codeBadRequest, "Invalid JSON"},
		{"body over 1 MB", "POST", "/domain", `{"name":"` + strings.Repeat("x", maxBody) + `"}`, nil, 500, codeInternal, "Internal server error"},
		{"no admin token", "POST", "/domain/search", `{}`, []string{"X-Takaro-Admin-Token", ""}, 401, codeUnauthorized, "Not authorized"},
		{"filter not array", "POST", "/domain/search", `{"filters":{"externalReference":"ref-one"}}`, nil, 400, codeBadRequest,
			`Filter values must be arrays or boolean. Found invalid value for 'externalReference': 'ref-one'. Example: { ` +
				`externalReference: ["ref-one"] }`},
		{"unknown filter", "POST", "/domain/search", `{"filters":{"foo":["x"]}}`, nil, 400, codeValidation, "Validation error"},
		{"bad direction", "POST", "/domain/search", `{"sortDirection":"up"}`, nil, 400, codeValidation, "Validation error"},
		{"unknown column to sort by", "POST", "/domain/search", `{"sortBy":"colour"}`, nil, 500, codeInternal, "Internal server error"},
		{"bad page before credentials", "GET", "/domain/DOMAIN?limit=0", "", []string{"X-Takaro-Admin-Token", ""}, 400, codeValidation,
			"Invalid pagination: limit must be greater than or equal to 1"},
		{"page is no number", "POST", "/domain/search?page=two", "", nil, 400, codeValidation,
			"Invalid pagination: page must be a `number` type, but the final value was: `NaN` (cast from the value `\"two\"`)."},
		{"token for unknown domain", "POST", "/token", `{"domainId":"no-such-domain"}`, nil, 500, codeInternal, "Internal server error"},
		{"token by reference", "POST", "/token", `{"domainId":"ref-one"}`, nil, 500, codeInternal, "Internal server error"},
		{"token without domain", "POST", "/token", `{}`, nil, 400, codeValidation, "Validation error"},
		{"unknown registration token", "POST", "/resolve-registration-token", `{"registrationToken":"x"}`, nil, 404, codeNotFound, "Not found"},
		{"no domain token", "POST", "/user/search", `{}`, []string{"X-Takaro-Token", ""}, 401, codeUnauthorized, "Not authorized"},
		{"bad e-mail", "POST", "/user", `{"name":"bob","email":"nope","password":"x"}`, nil, 400, codeValidation, "Validation error"},
		{"user name of 2", "POST", "/user", `{"name":"bo","email":"bob@example.com","password":"x"}`, nil, 400,
			codeValidation, "Validation error"},
		{"user with roles", "POST", "/user", `{"name":"bob","email":"bob@example.com","password":"x","roles":[]}`, nil, 400,
			codeValidation, "Validation error"},
		{"unknown user", "GET", "/user/" + nobody, "", nil, 404, codeNotFound, "User with id " + nobody + " not found"},
		{"update of unknown user", "PUT", "/user/" + nobody, `{"name":"bobby"}`, nil, 500, codeInternal, "Internal server error"},
		{"delete of unknown user", "DELETE", "/user/" + nobody, "", nil, 200, "", ""},
		{"assign to unknown user", "POST", "/user/" + nobody + "/role/ADMIN", `{}`, nil, 500, codeInternal, "Internal server error"},
		{"assign with expiry", "POST", "/user/ALICE/role/ADMIN", `{"expiresAt":"2030-01-01T00:00:00.000Z"}`, nil, 200, "", ""},
		{"assign with bad expiry", "POST", "/user/ALICE/role/ADMIN", `{"expiresAt":"soon"}`, nil, 400, codeValidation, "Validation error"},
		{"login too short", "POST", "/login", `{"username":"alice@example.com","password":"short"}`, nil, 400,
			codeValidation, "Validation error"},
		{"login of a stranger", "POST", "/login", `{"username":"eve@example.com","password":"long-enough"}`, nil, 401,
			codeUnauthorized, "Not authorized"},
		{"unknown setting", "GET", "/settings?keys=nope", "", nil, 400, codeValidation, "Validation error"},
		{"settings by key", "GET", "/settings?keys=domainName&keys=commandPrefix", "", nil, 200, "", ""},
		{"setting without value", "POST", "/settings/domainName", `{}`, nil, 400, codeValidation, "Validation error"},
		{"game server rename", "PUT", "/gameserver/MOCK", `{"name":"nice","type":"GENERIC","connectionInfo":"{\"identityToken\":\"mock-1\"}"}`,
			nil, 200, "", ""},
		{"game server with identity in update", "PUT", "/gameserver/MOCK",
			`{"name":"nice","type":"GENERIC","connectionInfo":"{}","identityToken":"x"}`, nil, 400, codeValidation, "Validation error"},
		{"game server info is no JSON", "POST", "/gameserver", `{"name":"second","type":"GENERIC","connectionInfo":"{"}`, nil, 400,
			codeValidation, "Validation error"},
		{"unknown game server", "GET", "/gameserver/" + nobody, "", nil, 404, codeNotFound, "Not found"},
		{"game server command", "POST", "/gameserver/MOCK/command", `{"command":""}`, nil, 400, codeValidation, "Validation error"},
		{"bool filter", "POST", "/gameserver/search", `{"filters":{"reachable":[true]}}`, nil, 200, "", ""},
		{"slash at the end", "GET", "/domain/DOMAIN/", "", nil, 200, "", ""},
		{"not JSON by its type", "POST", "/domain/search", `{"foo":1}`, []string{"Content-Type", "text/plain"}, 200, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Options{})
			ids := strings.NewReplacer("DOMAIN", b.domain.ID, "ALICE", b.alice, "ADMIN", b.admin, "MOCK", b.mock)
			a := b.call(t, c.method, ids.Replace(c.path), c.body, c.headers...)
			require.Equal(t, c.status, a.status, a.raw)
			assert.Equal(t, jsonType, a.header.Get("Content-Type"))
			code, message := a.problem(t)
			assert.Equal(t, c.code, code)
			assert.Equal(t, c.message, message)
		})
	}
}

func TestUnknownPathIsAPage(t *testing.T) {
	b := newBench(t, Options{})
	for _, path := range []string{"/nope", "/domain", "//domain/search", "/__control/domains"} {
		a := b.call(t, "GET", path, "")
		assert.Equal(t, 404, a.status, path)
		assert.Equal(t, "text/html; charset=utf-8", a.header.Get("Content-Type"), path)
		assert.Contains(t, a.raw, "Cannot GET "+path)
	}
}

func TestMetaPages(t *testing.T) {
	b := newBench(t, Options{})
	for path, want := range map[string]string{"/healthz": `{"healthy":true}`, "/readyz": `{"healthy":false}`,
		"/openapi.json": `"/gameserver/{id}/reachability"`,
		"/api.html":     "Takaro", "/metrics": "http_requests_total"} {
		a := b.call(t, "GET", path, "", "X-Takaro-Admin-Token", "", "X-Takaro-Token", "")
		assert.Equal(t, 200, a.status, path)
		assert.Contains(t, a.raw, want, path)
	}
}

func TestTokenExpiresAndMayBeRevoked(t *testing.T) {
	now := time.Now()
	b := newBench(t, Options{Now: func() time.Time { return now }, TokenLifetime: time.Hour})
	assert.Equal(t, 200, b.call(t, "GET", "/me", "").status)
	now = now.Add(2 * time.Hour)
	assert.Equal(t, 403, b.call(t, "GET", "/me", "").status)
	b.SetAdminToken("another")
	assert.Equal(t, 403, b.call(t, "GET", "/domain/"+b.domain.ID, "", "X-Takaro-Admin-Token", "first").status)
	assert.Equal(t, 200, b.call(t, "GET", "/domain/"+b.domain.ID, "").status)
}
