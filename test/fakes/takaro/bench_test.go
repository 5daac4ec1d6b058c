// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bench is a server with one domain for single requests.
type bench struct {
	*Server
	domain             Domain
	token, root        string // a domain token; the root user's password
	alice, admin, mock string // ids of a user, the role Admin, a connected game server
}

func newBench(t *testing.T, opts Options) *bench {
	t.Helper()
	b := &bench{Server: New(opts)}
	d, root, err := b.PlantDomain(Seed{Name: "one", ExternalReference: "ref-one", MaxUsers: 2, MaxGameServers: 2})
	require.NoError(t, err)
	b.domain, b.root = d, root
	b.token = b.newToken(t, d.ID)
	made := b.call(t, "POST", "/user", `{"name":"alice","email":"Alice@example.com","password":"correct-horse","isDashboardUser":true}`)
	require.Equal(t, 200, made.status, made.raw)
	b.alice = made.data(t)["id"].(string)
	for _, r := range b.state.domains[d.ID].roles {
		if r.name == "Admin" {
			b.admin = r.id
		}
	}
	g, err := b.ConnectGameServer(d.ID, "mock-1")
	require.NoError(t, err)
	b.mock = g.ID
	b.ResetCounts()
	return b
}

func (b *bench) newToken(t *testing.T, domainID string) string {
	t.Helper()
	a := b.call(t, "POST", "/token", `{"domainId":"`+domainID+`"}`)
	require.Equal(t, 200, a.status, a.raw)
	return a.data(t)["token"].(string)
}

type answer struct {
	status int
	header http.Header
	raw    string
}

func (a answer) data(t *testing.T) map[string]any {
	t.Helper()
	var v struct{ Data map[string]any }
	require.NoError(t, json.Unmarshal([]byte(a.raw), &v), a.raw)
	return v.Data
}

func (a answer) problem(t *testing.T) (code, message string) {
	t.Helper()
	var v struct {
		Meta struct {
			Error struct{ Code, Message string }
		}
		Data json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(a.raw), &v), a.raw)
	assert.NotNil(t, v.Data)
	return v.Meta.Error.Code, v.Meta.Error.Message
}

// call sends a request with both credentials. Headers are pairs of name and value; an empty value
// removes the header.
func (b *bench) call(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, path, in)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Takaro-Admin-Token", b.AdminToken())
	r.Header.Set("X-Takaro-Token", b.token)
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}
