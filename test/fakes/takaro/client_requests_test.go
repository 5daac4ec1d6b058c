// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type clientRequest struct {
	Call    string            `json:"call"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body"`
}

// TestClientRequests sends the recorded requests of the official client, with placeholders replaced
// by existing objects. All of them must succeed except one login, whose placeholder password is too
// short for Takaro itself.
func TestClientRequests(t *testing.T) {
	raw, err := os.ReadFile("testdata/client-requests.json")
	require.NoError(t, err)
	var captured struct {
		Requests []clientRequest `json:"requests"`
		Newer    struct {
			Requests []clientRequest `json:"requests"`
		} `json:"snapshotClient_0_4_11"`
	}
	require.NoError(t, json.Unmarshal(raw, &captured))
	all := append(captured.Requests, captured.Newer.Requests...)
	require.Greater(t, len(all), 35)
	for _, c := range all {
		t.Run(c.Call, func(t *testing.T) {
			b := newBench(t, Options{})
			session := b.call(t, "POST", "/login", `{"username":"alice@example.com","password":"correct-horse"}`).data(t)["token"].(string)
			filled := strings.NewReplacer("ADMIN-SECRET", b.AdminToken(), "DOMAIN.JWT.TOKEN", b.token, "kratos-session-token", session,
				"slick-socks-jam", b.domain.ID, "11111111-1111-4111-8111-111111111111", b.alice, "33333333-3333-4333-8333-333333333333", b.mock,
				"22222222-2222-4222-8222-222222222222", b.admin, "abc=", b.domain.RegistrationToken, `"domainId":"x"`, `"domainId":"`+b.domain.ID+`"`)
			body := ""
			if c.Body != nil {
				sent, err := json.Marshal(c.Body)
				require.NoError(t, err)
				body = filled.Replace(string(sent))
			}
			headers := []string{"X-Takaro-Admin-Token", "", "X-Takaro-Token", "", "Content-Type", ""}
			for k, v := range c.Headers {
				if k != "Content-Length" { // of the placeholders
					headers = append(headers, k, filled.Replace(v))
				}
			}
			a := b.call(t, c.Method, filled.Replace(c.Path), body, headers...)
			if c.Call == "Client.login" {
				require.Equal(t, 400, a.status, a.raw)
				assert.Contains(t, a.raw, "password must be longer than or equal to 8 characters")
				assert.NotContains(t, a.raw, "whitelistValidation")
				return
			}
			assert.Equal(t, 200, a.status, a.raw)
			assert.Equal(t, jsonType, a.header.Get("Content-Type"))
		})
	}
}
