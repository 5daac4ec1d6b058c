// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ptr[T any](v T) *T { return &v }

func TestCreateDomainOnTheWire(t *testing.T) {
	s := newServer(t, always(200, wireCreated("loose-eagles-cut", "ref-one")))
	got, err := newTestClient(t, s.URL).CreateDomain(context.Background(), DomainInput{
		Name: "my domain", ExternalReference: "ref-one", State: StateMaintenance, MaxGameservers: ptr(int64(0)), MaxUsers: ptr(int64(3)),
	})
	require.NoError(t, err)
	assert.Equal(t, "loose-eagles-cut", got.Domain.ID)
	assert.Equal(t, "root-password-1", got.Password.Reveal())
	assert.Equal(t, "root@loose-eagles-cut.com", got.RootUser.Email)
	assert.Equal(t, "reg-loose-eagles-cut", got.Domain.ServerRegistrationToken.Reveal())
	assert.Equal(t, ptr("ref-one"), got.Domain.ExternalReference)
	assert.Equal(t, time.Date(2026, 11, 27, 22, 1, 5, 581e6, time.UTC), got.Domain.CreatedAt)
	assert.Equal(t, int64(900000), got.Domain.RateLimitDuration)

	r := s.requests()[0]
	assert.Equal(t, "POST /domain", r.Method+" "+r.Path)
	assert.JSONEq(t, `{"name":"my domain","externalReference":"ref-one","state":"MAINTENANCE","maxGameservers":0,"maxUsers":3}`, r.Body)
	assert.Equal(t, testToken, r.Header.Get("X-Takaro-Admin-Token"))
	assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
	assert.Equal(t, "roadstead", r.Header.Get("User-Agent"))
	assert.Empty(t, r.Header.Get("Authorization"))
}

func TestGetUpdateDeleteOnTheWire(t *testing.T) {
	s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
		if r.Method == http.MethodDelete {
			reply(w, 200, data(struct{}{}))
			return
		}
		reply(w, 200, data(wireDomain("a-b-c", "")))
	})
	c, ctx := newTestClient(t, s.URL), context.Background()
	d, err := c.GetDomain(ctx, "a-b-c")
	require.NoError(t, err)
	assert.Nil(t, d.ExternalReference)
	_, err = c.UpdateDomain(ctx, "a-b-c", DomainUpdate{MaxUsers: ptr(int64(0)), State: ptr(StateActive)})
	require.NoError(t, err)
	_, err = c.UpdateDomain(ctx, "a-b-c", DomainUpdate{})
	require.NoError(t, err)
	require.NoError(t, c.DeleteDomain(ctx, "a-b-c", false))
	require.NoError(t, c.DeleteDomain(ctx, "a-b-c", true))

	var got []string
	for _, r := range s.requests() {
		got = append(got, r.Method+" "+r.Path+" "+r.Query+" "+r.Body)
	}
	assert.Equal(t, []string{
		"GET /domain/a-b-c  ", `PUT /domain/a-b-c  {"state":"ACTIVE","maxUsers":0}`, "PUT /domain/a-b-c  {}",
		"DELETE /domain/a-b-c  ", "DELETE /domain/a-b-c hardDelete=true ",
	}, got)
}

func TestGetDomain_InvalidIDs(t *testing.T) {
	s := newServer(t, always(404, failure("NotFoundError", "Not found")))
	c := newTestClient(t, s.URL+"/base/")
	_, err := c.GetDomain(context.Background(), "a/../b?c")
	assert.True(t, IsNotFound(err))
	assert.Equal(t, "/base/domain/a%2F..%2Fb%3Fc", s.requests()[0].Path)
	for _, id := range []string{"", ".", ".."} {
		assert.True(t, IsTerminal(c.DeleteDomain(context.Background(), id, true)), id)
	}
	assert.Len(t, s.requests(), 1)
}

func TestIsNotFound_OnlyForTakarosOwnResponse(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		missing bool
	}{
		"envelope":       {failure("NotFoundError", "Not found"), true},
		"html":           {htmlPage, false},
		"plain":          {"404 page not found", false},
		"other json":     {`{"error":"not found"}`, false},
		"empty envelope": {`{"meta":{},"data":{}}`, false},
		"empty":          {"", false},
	} {
		s := newServer(t, always(404, c.body))
		_, err := newTestClient(t, s.URL).GetDomain(context.Background(), "a-b-c")
		assert.Equal(t, c.missing, IsNotFound(err), name)
		assert.Equal(t, !c.missing, IsForeign(err), name)
		assert.NotContains(t, err.Error(), "secret page text")
		if !c.missing {
			assert.ErrorContains(t, err, "check the URL")
		}
	}
}

func TestGetDomain_UnreadableResponses(t *testing.T) {
	for name, body := range map[string]string{
		"another domain": data(wireDomain("x-y-z", "")), "html": htmlPage, "health page": `{"healthy":true}`,
		"null": `{"meta":{},"data":null}`, "list": `{"meta":{},"data":[]}`, "empty": "", "no id": `{"meta":{},"data":{}}`,
	} {
		s := newServer(t, always(200, body))
		_, err := newTestClient(t, s.URL).GetDomain(context.Background(), "a-b-c")
		assert.True(t, IsUnclear(err), "%s: %v", name, err)
		assert.True(t, IsForeign(err), name)
		assert.False(t, IsTerminal(err), name)
	}
}

func TestCheckAdminAndLogin(t *testing.T) {
	s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.URL.Path == "/domain/search" && r.Header.Get("X-Takaro-Admin-Token") == testToken:
			reply(w, 200, `{"meta":{"page":0,"limit":1,"total":0},"data":[]}`)
		case r.URL.Path == "/login" && body == `{"username":"a@b.c","password":"right-password"}`:
			reply(w, 200, data(map[string]string{"token": "ory_st_x"}))
		case r.URL.Path == "/login":
			reply(w, 401, failure("UnauthorizedError", "Not authorized"))
		default:
			reply(w, 403, failure("ForbiddenError", "Forbidden"))
		}
	})
	p := newTestPool(t, testOptions(newSkipClock()))
	c, ctx := clientOf(t, p, s.URL), context.Background()
	require.NoError(t, c.checkAdmin(ctx))
	assert.JSONEq(t, `{"page":0,"limit":1}`, s.requests()[0].Body)
	require.NoError(t, c.Login(ctx, "a@b.c", NewSecret("right-password")))
	assert.Empty(t, s.requests()[1].Header.Get("X-Takaro-Admin-Token"), "a login does not send the admin token")
	assert.True(t, IsUnauthorized(c.Login(ctx, "a@b.c", NewSecret("wrong-password"))))

	other, err := p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret("wrong")})
	require.NoError(t, err)
	err = other.checkAdmin(ctx)
	assert.True(t, IsUnauthorized(err) && IsTerminal(err), "%v", err)
}
