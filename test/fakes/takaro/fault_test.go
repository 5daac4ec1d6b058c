// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// over sends a request over the network with a new connection. The client of the standard library
// repeats some requests by itself when a reused connection is cut, which would use up a fault.
func over(ctx context.Context, s *Server, method, path, body string) (*http.Response, string, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	req.Close = true
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Takaro-Admin-Token", s.AdminToken())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	return res, string(raw), err
}

func started(t *testing.T, opts Options) *Server {
	t.Helper()
	s := New(opts)
	require.NoError(t, s.Start())
	t.Cleanup(s.Close)
	return s
}

func inject(t *testing.T, s *Server, f Fault) string {
	t.Helper()
	id, err := s.InjectFault(f)
	require.NoError(t, err)
	return id
}

// TestFaultsOfCreate creates one domain under each fault and checks the response and the stored
// state.
func TestFaultsOfCreate(t *testing.T) {
	const nothing, complete, half = "nothing", "complete", "half"
	for _, c := range []struct {
		fault  Fault
		status int // 0: the connection was cut
		body   string
		left   string
	}{
		{Fault{Kind: FaultLatency, Latency: time.Millisecond}, 200, "createdDomain", complete},
		{Fault{Kind: FaultTooMany, RetryAfter: 3 * time.Second}, 429, codeTooMany, nothing},
		{Fault{Kind: FaultErrorBefore}, 500, codeInternal, nothing},
		{Fault{Kind: FaultErrorAfter}, 500, codeInternal, complete},
		{Fault{Kind: FaultCutBefore}, 0, "", nothing},
		{Fault{Kind: FaultCutAfter}, 0, "", complete},
		{Fault{Kind: FaultHalfMade}, 500, codeInternal, half},
		{Fault{Kind: FaultBadGateway}, 502, "<h1>502 Bad Gateway</h1>", nothing},
		{Fault{Kind: FaultSlowBody, Latency: time.Microsecond}, 200, "createdDomain", complete},
		{Fault{Kind: FaultTokenRevoked}, 403, codeForbidden, nothing},
	} {
		t.Run(string(c.fault.Kind), func(t *testing.T) {
			s := started(t, Options{})
			c.fault.Method, c.fault.Path, c.fault.Times = "POST", "/domain", 1
			inject(t, s, c.fault)
			res, _, err := over(t.Context(), s, "POST", "/domain/search", "")
			require.NoError(t, err)
			require.Equal(t, 200, res.StatusCode, "another path is not met")

			res, body, err := over(t.Context(), s, "POST", "/domain", `{"name":"one","externalReference":"one"}`)
			status := 0
			if c.status == 0 {
				require.ErrorContains(t, err, "EOF")
			} else {
				require.NoError(t, err)
				status = res.StatusCode
				assert.Contains(t, body, c.body)
			}
			require.Equal(t, c.status, status)
			if c.fault.Kind == FaultTooMany {
				assert.Equal(t, "3", res.Header.Get("Retry-After"))
			}
			d, found := s.DomainByReference("one")
			assert.Equal(t, c.left, map[bool]string{false: nothing, true: map[bool]string{true: complete, false: half}[d.HasRoot]}[found])
			assert.Empty(t, s.Faults(), "it has run out")
			assert.Equal(t, 1, s.Count("POST", "/domain"))
			last := s.Requests()[len(s.Requests())-1]
			assert.Equal(t, c.status, last.Status)

			res, _, err = over(t.Context(), s, "POST", "/domain", `{"name":"one"}`)
			require.NoError(t, err)
			assert.Equal(t, 200, res.StatusCode, "the next one works")
		})
	}
}

func TestFaultsUntilCleared(t *testing.T) {
	s := started(t, Options{})
	first := inject(t, s, Fault{Kind: FaultErrorBefore, Path: "/domain/**"})
	inject(t, s, Fault{Kind: FaultBadGateway, Times: 2})
	status := func() int {
		res, _, err := over(t.Context(), s, "GET", "/domain/some-old-id", "")
		require.NoError(t, err)
		return res.StatusCode
	}
	assert.Equal(t, []int{500, 500, 500}, []int{status(), status(), status()}, "the first that matches counts")
	require.True(t, s.RemoveFault(first))
	require.False(t, s.RemoveFault(first))
	assert.Equal(t, []int{502, 502, 404}, []int{status(), status(), status()})
	inject(t, s, Fault{Kind: FaultTokenRevoked})
	assert.Equal(t, 403, status())
	s.ClearFaults()
	assert.Equal(t, 404, status())
	assert.Equal(t, 8, s.Count("", ""))
	s.ResetCounts()
	assert.Zero(t, s.Count("", ""))
	assert.Empty(t, s.Requests())
}

func TestFaultsAreChecked(t *testing.T) {
	s := New(Options{})
	for message, f := range map[string]Fault{"unknown": {Kind: "odd"}, "takes no": {Kind: FaultDown, Path: "/x"},
		"negative": {Kind: FaultLatency, Times: -1}} {
		_, err := s.InjectFault(f)
		assert.ErrorContains(t, err, message)
	}
}

func TestClientThatGivesUpIsServedAnyway(t *testing.T) {
	s := started(t, Options{})
	inject(t, s, Fault{Kind: FaultLatency, Latency: 300 * time.Millisecond})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, _, err := over(ctx, s, "POST", "/domain", `{"name":"one","externalReference":"one"}`)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Eventually(t, func() bool { d, _ := s.DomainByReference("one"); return d.HasRoot }, 10*time.Second, time.Millisecond)
}

func TestSlowBodyShowsTheHeadersFirst(t *testing.T) {
	s := started(t, Options{})
	inject(t, s, Fault{Kind: FaultSlowBody, Latency: time.Hour})
	res, err := http.Get(s.URL() + "/healthz")
	require.NoError(t, err, "the headers are there")
	assert.Equal(t, 200, res.StatusCode)
	assert.Equal(t, int64(len(`{"healthy":true}`)), res.ContentLength)
	assert.NoError(t, res.Body.Close())
}

func TestDownAndUpAgain(t *testing.T) {
	for _, control := range []bool{false, true} {
		s := started(t, Options{Control: control})
		kept := &http.Client{Transport: &http.Transport{}}
		res, err := kept.Get(s.URL() + "/healthz")
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		s.ResetCounts()

		inject(t, s, Fault{Kind: FaultDown})
		_, err = kept.Get(s.URL() + "/healthz")
		assert.Error(t, err, "a kept connection is cut")
		_, _, err = over(t.Context(), s, "GET", "/healthz", "")
		assert.Error(t, err, "a new one is refused")
		assert.Zero(t, s.Count("", ""))
		if control {
			res, _, err := over(t.Context(), s, "DELETE", "/__control/faults", "")
			require.NoError(t, err, "control paths stay open")
			assert.Equal(t, 204, res.StatusCode)
		} else {
			s.ClearFaults()
		}
		_, _, err = over(t.Context(), s, "GET", "/healthz", "")
		assert.NoError(t, err)

		inject(t, s, Fault{Kind: FaultDown, Times: 1})
		_, _, err = over(t.Context(), s, "GET", "/healthz", "")
		assert.Error(t, err)
		_, _, err = over(t.Context(), s, "GET", "/healthz", "")
		assert.NoError(t, err)
	}
}

func TestMatchPath(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"", "/x", true}, {"/domain", "/domain", true}, {"/domain", "/domain/x", false}, {"/domain/*", "/domain/x", true},
		{"/domain/*", "/domain", false}, {"/domain/*", "/domain/x/y", false}, {"/user/**", "/user/x/role/y", true},
		{"/user/*/role/*", "/user/x/role/y", true}, {"/user/*/role/*", "/user/x", false}, {"/**", "/anything", true},
	} {
		assert.Equal(t, c.want, matchPath(c.pattern, c.path), "%s on %s", c.pattern, c.path)
	}
}
