// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/flight"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

func TestClassify(t *testing.T) {
	own := func(status int, code string) error { return &takaro.APIError{Status: status, Code: code, Message: "m"} }
	cases := []struct {
		name     string
		err      error
		reason   string
		endpoint bool
		wait     time.Duration
		retried  bool
	}{
		{"known", &base.Blocked{Reason: "Known"}, "Known", false, 0, false},
		{"endpoint not found", &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonSecretNotFound},
			v1alpha1.ReasonSecretNotFound, true, 0, false},
		{"name taken", &secrets.NameTakenError{Key: types.NamespacedName{Name: "s"}}, v1alpha1.ReasonSecretNameTaken, false, 0, false},
		{"namespace not served", fmt.Errorf("spec.x: %w", &secrets.NamespaceNotServedError{Namespace: "team"}),
			v1alpha1.ReasonNamespaceNotServed, false, 0, false},
		{"circuit open", &takaro.CircuitOpenError{Host: "h", After: time.Second}, v1alpha1.ReasonEndpointUnavailable, true, CircuitWait, false},
		{"asked to wait", &takaro.APIError{Status: 429, Code: "x", RetryAfter: 7 * time.Second}, v1alpha1.ReasonRateLimited,
			true, 7 * time.Second, false},
		{"asked to wait, hardly", &takaro.RateLimitedError{After: time.Millisecond}, v1alpha1.ReasonRateLimited, true, time.Second, false},
		{"429 without a time", own(429, "x"), v1alpha1.ReasonRateLimited, true, 0, true},
		{"401", own(401, "UnauthorizedError"), v1alpha1.ReasonAdminTokenRefused, true, RefusedWait, false},
		{"403", own(403, "ForbiddenError"), v1alpha1.ReasonAdminTokenRefused, true, RefusedWait, false},
		{"refused address", &netguard.RefusedError{}, v1alpha1.ReasonEndpointRefused, true, 0, false},
		{"unusable input", &takaro.InputError{Message: "x"}, v1alpha1.ReasonEndpointRefused, true, 0, false},
		{"500", own(500, "InternalServerError"), v1alpha1.ReasonEndpointUnavailable, true, 0, true},
		{"502 of a proxy", own(502, ""), v1alpha1.ReasonEndpointUnavailable, true, 0, true},
		{"404 of a proxy", own(404, ""), v1alpha1.ReasonEndpointNotTakaro, true, 0, true},
		{"400", own(400, "ValidationError"), v1alpha1.ReasonRequestRefused, false, 0, false},
		{"no answer", &takaro.TransportError{Err: errors.New("x")}, v1alpha1.ReasonEndpointUnavailable, true, 0, true},
		{"incomplete list", &takaro.IncompleteError{Rows: 1, Total: 2}, ownership.ReasonSearchIncomplete, true, 0, true},
		{"answer too large", &takaro.SearchTooLargeError{Limit: "more than 5 rows"}, v1alpha1.ReasonSearchTooLarge, false, ForeignWait, false},
		{"no memory for the answer", &takaro.RateLimitedError{After: 5 * time.Second, Memory: true}, v1alpha1.ReasonRateLimited,
			true, 5 * time.Second, false},
		{"a list that takes too long", fmt.Errorf("%w: %w", flight.ErrLate, context.DeadlineExceeded), v1alpha1.ReasonEndpointUnavailable, true,
			0, true},
		{"409", own(409, "ConflictError"), v1alpha1.ReasonRequestFailed, false, 0, true},
		{"API server", apierrors.NewInternalError(errors.New("etcd")), v1alpha1.ReasonRequestFailed, false, 0, true},
		{"end of the process", context.Canceled, v1alpha1.ReasonRequestFailed, false, 0, true},
	}
	for _, c := range cases {
		got := Classify("testing", fmt.Errorf("wrapped: %w", c.err))
		assert.Equal(t, []any{c.reason, c.endpoint, c.wait, c.retried}, []any{got.Reason, got.Unknown, got.RequeueAfter, got.Err != nil}, c.name)
	}
}

func TestUnusable(t *testing.T) {
	from := endpoint.Sources{Token: endpoint.SecretKey("team", "takaro", "adminToken")}
	got := Unusable(&takaro.InputError{Message: "x"}, from)
	assert.Equal(t, v1alpha1.ReasonSecretKeyMissing, got.Reason)
	assert.Equal(t, `the endpoint's credentials cannot be used: x; put them right in Secret "team/takaro" under key "adminToken"`, got.Message)
	assert.Equal(t, v1alpha1.ReasonRequestFailed, Unusable(errors.New("closed"), from).Reason)
}

func TestARefusedTokenIsNamedByItsPlace(t *testing.T) {
	from := endpoint.Sources{Token: endpoint.SecretKey("team", "takaro", "adminToken")}
	refused := Classify("testing", &takaro.APIError{Method: "POST", Path: "/domain", Status: 403,
		Code: "ForbiddenError", Message: "Forbidden"})
	before := *refused
	named := Naming(refused, from)
	assert.Equal(t, before.Message+`; put a valid admin token into Secret "team/takaro" under key "adminToken"`, named.Message)
	assert.Equal(t, []any{before.Reason, before.Unknown, before.RequeueAfter}, []any{named.Reason, named.Unknown, named.RequeueAfter})
	assert.Equal(t, before, *refused, "what was classified may be shared")
	assert.Equal(t, refused, Naming(refused, endpoint.Sources{}), "nothing is known")
	other := &base.Blocked{Reason: v1alpha1.ReasonEndpointUnavailable, Message: "x"}
	assert.Same(t, other, Naming(other, from))
	assert.Nil(t, Naming(nil, from))
}

func TestWhoHasToActOnALargeAnswer(t *testing.T) {
	for says, err := range map[string]*takaro.SearchTooLargeError{
		"it ignores the filter":                            {One: true, Own: true},
		"add the address to its endpoints":                 {Own: true},
		"must delete what is not needed there, or use a s": {},
	} {
		err.Path, err.Host, err.Limit = "/user/search", "h", "more than 5 rows"
		text := steady(err)
		assert.Contains(t, text, "the answer of Takaro at h to POST /user/search is too large: more than 5 rows")
		assert.Contains(t, text, "The administrator of that Takaro must")
		assert.Contains(t, text, says)
	}
}

// The error of an open circuit contains the cause, so that a user sees that waiting does not
// resolve it.
func TestAnOpenCircuitSaysWhy(t *testing.T) {
	open := &takaro.CircuitOpenError{Host: "h", Until: time.Now(),
		Cause: &takaro.TransportError{Err: &net.DNSError{Name: "n", IsNotFound: true}}}
	assert.Contains(t, steady(open), "(the last probe failed: ")
	assert.Contains(t, steady(open), "the host name n does not exist")
	assert.Equal(t, v1alpha1.ReasonEndpointUnavailable, Classify("testing", open).Reason)
}

// Objects that are Ready stay Ready while Takaro requests a pause, and for a minute while it does
// not respond.
func TestKeepsReady(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		keeps bool
	}{
		"circuit just opened":  {&takaro.CircuitOpenError{For: time.Minute - 1}, true},
		"circuit open":         {&takaro.CircuitOpenError{For: time.Minute}, false},
		"429 with a time":      {&takaro.APIError{Status: 429, RetryAfter: time.Hour}, true},
		"429 without a time":   {&takaro.APIError{Status: 429, Code: "x"}, true},
		"503 with a time":      {&takaro.APIError{Status: 503, RetryAfter: time.Second}, true},
		"own rate limit":       {&takaro.RateLimitedError{After: time.Second}, true},
		"500":                  {&takaro.APIError{Status: 500, Code: "x"}, false},
		"refused token":        {&takaro.APIError{Status: 401, Code: "x"}, false},
		"answer too large":     {&takaro.SearchTooLargeError{}, false},
		"endpoint is verified": {&outside.StoppedError{Decision: ownership.Decision{Reason: ownership.ReasonEndpointVerifying}}, true},
	} {
		assert.Equal(t, c.keeps, Classify("testing", c.err).KeepsReady(), name)
	}
	assert.False(t, (*base.Blocked)(nil).KeepsReady())
}

// A message that differs at every attempt would cause a status write at every attempt.
func TestTextsHoldStill(t *testing.T) {
	dial := func(port int) error {
		return &takaro.TransportError{Method: "GET", Path: "/p", Host: "h", Err: &net.OpError{Op: "dial", Source: &net.TCPAddr{Port: port},
			Err: errors.New("refused")}}
	}
	pairs := map[string][2]error{
		"local ports": {dial(1), dial(2)},
		"times":       {&takaro.CircuitOpenError{Host: "h", Until: time.Unix(1, 0)}, &takaro.CircuitOpenError{Host: "h", Until: time.Unix(2, 0)}},
		"waits":       {&takaro.RateLimitedError{Host: "h", After: 1}, &takaro.RateLimitedError{Host: "h", After: 2}},
		"lists":       {&takaro.IncompleteError{Host: "h", Rows: 1, Total: 3}, &takaro.IncompleteError{Host: "h", Rows: 2, Total: 4}},
		"resolvers": {&takaro.TransportError{Err: &net.DNSError{Name: "n", IsNotFound: true, Server: "1"}},
			&takaro.TransportError{Err: &net.DNSError{Name: "n", IsNotFound: true, Server: "2"}}},
		"clocks": {&takaro.TransportError{Err: x509.CertificateInvalidError{Reason: x509.Expired, Detail: "1"}},
			&takaro.TransportError{Err: x509.CertificateInvalidError{Reason: x509.Expired, Detail: "2"}}},
	}
	for name, pair := range pairs {
		assert.Equal(t, steady(pair[0]), steady(pair[1]), name)
	}
}
