// SPDX-License-Identifier: Apache-2.0

package bodylimit

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/metrics/testutil"
)

// protocols runs a test with both protocols of the server.
func protocols(t *testing.T, test func(t *testing.T, http2 bool)) {
	t.Helper()
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("http2=%t", http2), func(t *testing.T) { test(t, http2) })
	}
}

func TestHandler_Size(t *testing.T) {
	for name, tc := range map[string]struct {
		resource   string
		size       int
		undeclared bool
		want       int
	}{
		"small":                          {"domains", 100, false, 200},
		"at the limit":                   {"domains", Small, false, 200},
		"above the limit":                {"domains", Small + 1, false, 413},
		"above the limit, undeclared":    {"domains", Small + 1, true, 413},
		"at the limit, undeclared":       {"domains", Small, true, 200},
		"large class":                    {"crdschemas", Small + 1, false, 200},
		"large class, undeclared":        {"crdschemas", Small + 1, true, 200},
		"large class, at the limit":      {"crdschemas", Large, true, 200},
		"large class, above the limit":   {"crdschemas", Large + 1, false, 413},
		"large class, above, undeclared": {"crdschemas", Large + 1, true, 413},
		"none":                           {"domains", 0, false, 200},
	} {
		t.Run(name, func(t *testing.T) {
			protocols(t, func(t *testing.T, http2 bool) {
				r := filled(tc.resource, "alice", tc.size)
				if tc.undeclared {
					r.length = -1
				}
				got := serve(t, New(ordinary(), definitions()), http2, reading).do(t.Context(), r)
				require.NoError(t, got.err)
				require.Equal(t, tc.want, got.code, got.body)
			})
		})
	}
}

func TestHandler_NonResourceIsExempt(t *testing.T) {
	server := serve(t, New(ordinary()), true, reading)
	response, err := server.Client().Post(server.URL+"/healthz", "text/plain", strings.NewReader(strings.Repeat("x", Small+1)))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
}

// TestHandler_SlowBodyIsEnded shows that a client cannot hold a request open by sending its body
// slowly.
func TestHandler_SlowBodyIsEnded(t *testing.T) {
	refused.Reset()
	few, many := ordinary(), definitions()
	few.Deadline, many.Deadline = 100*time.Millisecond, 100*time.Millisecond
	protocols(t, func(t *testing.T, http2 bool) {
		limiter := New(few, many)
		server := serve(t, limiter, http2, reading)
		for _, r := range []request{
			drip(t, "domains", "alice", 1000, 1), drip(t, "domains", "alice", -1, 1),
			drip(t, "crdschemas", "alice", Small+1, 1), drip(t, "crdschemas", "alice", -1, 1), drip(t, "crdschemas", "alice", 1000, 1),
		} {
			got := server.do(t.Context(), r)
			require.NoError(t, got.err)
			assert.Equal(t, http.StatusRequestTimeout, got.code, got.body)
			assert.Contains(t, got.body, "the body of the request did not arrive within 100ms")
			assert.Contains(t, got.body, `"reason":"Timeout"`)
		}
		requireUnused(t, limiter)
	})
	count, err := testutil.GetCounterMetricValue(refused.WithLabelValues("definitions", tooSlow))
	require.NoError(t, err)
	require.EqualValues(t, 6, count)
}

// requireUnused waits until nothing is in use.
func requireUnused(t *testing.T, l *Limiter) {
	t.Helper()
	for _, class := range append([]*class{l.others}, l.classes[resource("crdschemas")]) {
		for _, pool := range []*pool{class.memory, class.places} {
			eventually(t, "all is returned", func() bool {
				taken, callers := pool.used()
				return taken == 0 && callers == 0
			})
		}
	}
}

// TestHandler_DeadlineEndsWithTheBody shows that a request may take longer than the deadline of its
// body, and that its connection then serves another one.
func TestHandler_DeadlineEndsWithTheBody(t *testing.T) {
	few, many := ordinary(), definitions()
	few.Deadline, many.Deadline = 200*time.Millisecond, 200*time.Millisecond
	protocols(t, func(t *testing.T, http2 bool) {
		server := serve(t, New(few, many), http2, func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			select {
			case <-r.Context().Done():
				assert.NoError(t, r.Context().Err(), "the request was ended")
			case <-time.After(2 * few.Deadline):
			}
			_, _ = io.WriteString(w, r.RemoteAddr)
		})
		var connections []string
		for _, resource := range []string{"domains", "crdschemas", "domains"} {
			got := server.do(t.Context(), filled(resource, "alice", 1000))
			require.NoError(t, got.err)
			require.Equal(t, http.StatusOK, got.code, got.body)
			connections = append(connections, got.body)
		}
		require.Equal(t, []string{connections[0], connections[0], connections[0]}, connections, "the connection was kept")
	})
}

func TestHandler_LongRunningIsExempt(t *testing.T) {
	few := ordinary()
	few.Deadline = time.Millisecond
	protocols(t, func(t *testing.T, http2 bool) {
		server := serve(t, New(few), http2, func(w http.ResponseWriter, r *http.Request) {
			first := make([]byte, 2)
			_, err := io.ReadFull(r.Body, first)
			assert.NoError(t, err)
			_, _ = w.Write(first)
		})
		reader, writer := io.Pipe()
		sent := request{resource: "domains", user: "alice", length: -1, body: reader, watch: true}
		answers := server.send(t.Context(), sent)
		_, err := io.WriteString(writer, "a")
		require.NoError(t, err)
		time.AfterFunc(20*few.Deadline, func() {
			_, _ = io.WriteString(writer, "b")
			_ = writer.Close()
		})
		got := <-answers
		require.NoError(t, got.err)
		require.Equal(t, "ab", got.body)
	})
}

func TestHandler_WithoutReadDeadlineFails(t *testing.T) {
	limiter := New(ordinary(), definitions())
	class := limiter.classes[resource("crdschemas")]
	body := class.newBody(nil, &http.Request{Body: http.NoBody})
	require.ErrorContains(t, body.admit(&http.Request{ContentLength: 1}), "set the read deadline of the request")
}
