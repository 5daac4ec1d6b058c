// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

func answer(status int, code string) error {
	return &takaro.APIError{Method: "POST", Path: "/domain", Status: status, Code: code, Message: "as told"}
}

func transport(sent bool, cause error) error {
	return &takaro.TransportError{Method: "GET", Path: "/domain/:id", Host: "takaro.example", Sent: sent, Err: cause}
}

func TestClassify(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	cases := []struct {
		name              string
		err               error
		condition, reason string
		wait              time.Duration
		retried           bool
	}{
		{"a problem already", &base.Blocked{Condition: "Synced", Reason: "X", RequeueAfter: 7}, "Synced", "X", 7, false},
		{"no endpoint", &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonSecretNotFound}, "EndpointReady", "SecretNotFound", 0, false},
		{"name taken", fmt.Errorf("wrapped: %w", &secrets.NameTakenError{Key: types.NamespacedName{Name: "x"}}), "Synced",
			"SecretNameTaken", 0, false},
		{"circuit open", &takaro.CircuitOpenError{Host: "h", Until: time.Now(), After: 9 * time.Second}, "EndpointReady", "EndpointUnavailable",
			problem.CircuitWait, false},
		{"asked to wait", &takaro.APIError{Status: 429, Code: "TooManyRequestsError", RetryAfter: 9 * time.Second}, "EndpointReady",
			"RateLimited", 9 * time.Second, false},
		{"asked to wait for an instant", &takaro.APIError{Status: 503, RetryAfter: time.Millisecond}, "EndpointReady",
			"RateLimited", time.Second, false},
		{"own rate limit", &takaro.RateLimitedError{Host: "h", After: 40 * time.Second}, "EndpointReady", "RateLimited", 40 * time.Second, false},
		{"no token", answer(401, "UnauthorizedError"), "EndpointReady", "AdminTokenRefused", problem.RefusedWait, false},
		{"wrong token", answer(403, "ForbiddenError"), "EndpointReady", "AdminTokenRefused", problem.RefusedWait, false},
		{"address refused", transport(false, &netguard.RefusedError{}), "EndpointReady", "EndpointRefused", 0, false},
		{"cannot be sent", &takaro.InputError{Message: "m"}, "EndpointReady", "EndpointRefused", 0, false},
		{"own 500", answer(500, "InternalServerError"), "EndpointReady", "EndpointUnavailable", 0, true},
		{"proxy's 502", answer(502, ""), "EndpointReady", "EndpointUnavailable", 0, true},
		{"another server's 404", answer(404, ""), "EndpointReady", "EndpointNotTakaro", 0, true},
		{"a redirect", answer(301, ""), "EndpointReady", "EndpointNotTakaro", 0, true},
		{"invalid", answer(400, "ValidationError"), "Synced", "RequestRefused", 0, false},
		{"unprocessable", answer(422, "X"), "Synced", "RequestRefused", 0, false},
		{"conflict", answer(409, "ConflictError"), "Synced", "RequestFailed", 0, true},
		{"429 without a wait", answer(429, "TooManyRequestsError"), "EndpointReady", "RateLimited", 0, true},
		{"not connected", transport(false, refused), "EndpointReady", "EndpointUnavailable", 0, true},
		{"cut", transport(true, io.ErrUnexpectedEOF), "EndpointReady", "EndpointUnavailable", 0, true},
		{"API server", apierrors.NewInternalError(errors.New("etcd")), "Synced", "RequestFailed", 0, true},
		{"anything else", errors.New("odd"), "Synced", "RequestFailed", 0, true},
	}
	for _, c := range cases {
		got := classify("trying", c.err)
		assert.Equal(t, c.condition, got.Condition, c.name)
		assert.Equal(t, c.reason, got.Reason, c.name)
		assert.Equal(t, c.wait, got.RequeueAfter, c.name)
		assert.Equal(t, c.retried, got.Err != nil, c.name)
		if c.name != "a problem already" && c.name != "no endpoint" {
			assert.NotEmpty(t, got.Message, c.name)
		}
	}
}

// The same problem must always have the same message. Otherwise the status is written forever.
func TestMessagesAreSteady(t *testing.T) {
	again := func(n int) []error {
		from, to := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40000 + n}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3000}
		at := time.Date(2026, 1, 2, 3, n, 0, 0, time.UTC)
		return []error{
			transport(true, &net.OpError{Op: "read", Net: "tcp", Source: from, Addr: to, Err: os.NewSyscallError("read", syscall.ECONNRESET)}),
			transport(false, &net.OpError{Op: "dial", Net: "tcp", Source: from, Addr: to, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}),
			transport(false, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Name: "takaro.example", Server: "10.0.0.2:53",
				Err: "read udp " + from.String() + "->10.0.0.2:53: i/o timeout", IsTimeout: true}}),
			transport(false, &net.DNSError{Name: "takaro.example", Server: from.String(), Err: "no such host", IsNotFound: true}),
			transport(false, fmt.Errorf("tls: %w", x509.CertificateInvalidError{Reason: x509.Expired, Detail: "current time " + at.String()})),
			&takaro.CircuitOpenError{Host: "takaro.example", Until: at, After: time.Duration(n) * time.Second},
			&takaro.RateLimitedError{Host: "takaro.example", After: time.Duration(n) * time.Second},
		}
	}
	first, second := again(1), again(2)
	for i := range first {
		one, two := classify("trying", first[i]), classify("trying", second[i])
		assert.Equal(t, one.Message, two.Message)
		assert.NotContains(t, one.Message, "4000", "a local port")
		assert.NotContains(t, one.Message, "2026", "a time")
	}
}

// Uses Takaro's actual responses in each error case, through the actual client.
func TestMessagesHoldNoSecret(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
	}{
		{"refused", func(out http.ResponseWriter, _ *http.Request) {
			out.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprintf(out, `{"meta":{"error":{"code":"ForbiddenError","message":"token %s"}},"data":{}}`, w.Takaro.AdminToken())
		}},
		{"page", func(out http.ResponseWriter, _ *http.Request) {
			out.WriteHeader(http.StatusBadGateway)
			_, _ = fmt.Fprintf(out, "<html>%s</html>", w.Takaro.AdminToken())
		}},
		{"echo", func(out http.ResponseWriter, in *http.Request) {
			out.WriteHeader(http.StatusBadRequest)
			body, _ := io.ReadAll(in.Body)
			_, _ = fmt.Fprintf(out, `{"meta":{"error":{"code":"ValidationError","message":"no","details":[{"target":%s,"value":"%s",`+
				`"property":"name","constraints":{"a":"b"}}]}},"data":{}}`, body, w.Takaro.AdminToken())
		}},
	} {
		w.Through = c.answer
		client, err := w.controller(w.Store).Pool.Client(takaro.Endpoint{URL: w.Front.URL, AdminToken: takaro.NewSecret(w.Takaro.AdminToken())})
		require.NoError(t, err)
		_, err = client.CreateDomain(context.Background(), takaro.DomainInput{Name: "abc"})
		require.Error(t, err)
		assert.NotContains(t, classify("making the domain", err).Message, w.Takaro.AdminToken(), c.name)
	}
}

func TestOutdated(t *testing.T) {
	conflict := apierrors.NewConflict(v1alpha1.Resource("domains"), "x", errors.New("changed"))
	assert.True(t, classify("x", fmt.Errorf("finalizer: %w", conflict)).Outdated())
	assert.True(t, classify("x", base.ErrOutdated).Outdated())
	assert.False(t, classify("x", answer(409, "ConflictError")).Outdated())
	assert.False(t, (&base.Blocked{}).Outdated())
}

func TestUnusable(t *testing.T) {
	from := endpoint.Sources{Token: "the Secret of the token", CA: "the Secret of the CA"}
	got := placed(problem.Unusable(&takaro.InputError{Message: "the CA bundle holds no certificate"}, from))
	assert.Equal(t, v1alpha1.ReasonSecretKeyMissing, got.Reason)
	assert.Contains(t, got.Message, "no certificate; put them right in the Secret of the token, CA: the Secret of the CA")
	assert.Error(t, placed(problem.Unusable(errors.New("the pool is closed"), from)).Err)
}
