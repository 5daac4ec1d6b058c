// SPDX-License-Identifier: Apache-2.0

package bodylimit

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// limit is the timeout of each condition that a test waits for.
const limit = 30 * time.Second

func resource(name string) schema.GroupResource {
	return schema.GroupResource{Group: "g", Resource: name}
}

// ordinary and definitions are limits with which nothing is refused that is not meant to be.
func ordinary() Class {
	return Class{Name: "others", Size: Small, Deadline: limit, Memory: 64 << 20, CallerMemory: 64 << 20}
}

func definitions() Class {
	return Class{Name: "definitions", Resources: []schema.GroupResource{resource("crdschemas")}, Size: Large, Deadline: limit,
		Memory: 64 << 20, CallerMemory: 64 << 20, Places: 4, CallerPlaces: 4}
}

// request is one request to a server of a test.
type request struct {
	resource, user string
	// masters is true for a member of system:masters.
	masters bool
	// length is the declared length of the body; -1 declares none, as with chunks.
	length int64
	body   io.Reader
	watch  bool
}

// site is a server with a limiter, over TLS.
type site struct {
	*httptest.Server
}

// serve starts a server. Next is served with what the limiter lets pass.
func serve(t *testing.T, limiter *Limiter, http2 bool, next http.HandlerFunc) site {
	t.Helper()
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"}, &metav1.Status{})
	codecs := serializer.NewCodecFactory(scheme)
	longRunning := func(_ *http.Request, info *genericapirequest.RequestInfo) bool { return info.Verb == "watch" }
	limited := limiter.Handler(next, longRunning, codecs)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, "/apis/g/v1/")
		info := &genericapirequest.RequestInfo{IsResourceRequest: ok, APIGroup: "g", APIVersion: "v1", Resource: name, Verb: r.Header.Get("Verb")}
		caller := &user.DefaultInfo{Name: r.Header.Get("User"), Groups: r.Header.Values("Group")}
		ctx := genericapirequest.WithRequestInfo(genericapirequest.WithUser(r.Context(), caller), info)
		limited.ServeHTTP(w, r.WithContext(ctx))
	}))
	server.EnableHTTP2 = http2
	server.StartTLS()
	t.Cleanup(server.Close)
	return site{server}
}

// reading is a handler that reads the body as the API machinery does, and answers errors as it
// does.
func reading(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		scheme := runtime.NewScheme()
		scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"}, &metav1.Status{})
		responsewriters.ErrorNegotiated(err, serializer.NewCodecFactory(scheme), schema.GroupVersion{Version: "v1"}, w, r)
		return
	}
	w.Header().Set("Read", http.StatusText(http.StatusOK))
	_, _ = w.Write(body[:min(len(body), 10)])
}

// answer is what a client receives.
type answer struct {
	code  int
	retry string
	body  string
	err   error
}

// send sends a request in the background.
func (s site) send(ctx context.Context, r request) <-chan answer {
	answers := make(chan answer, 1)
	go func() { answers <- s.do(ctx, r) }()
	return answers
}

func (s site) do(ctx context.Context, r request) answer {
	sent, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/apis/g/v1/"+r.resource, r.body)
	if err != nil {
		return answer{err: err}
	}
	sent.ContentLength = r.length
	sent.Header.Set("User", r.user)
	if r.masters {
		sent.Header.Set("Group", user.SystemPrivilegedGroup)
	}
	if r.watch {
		sent.Header.Set("Verb", "watch")
	}
	response, err := s.Client().Do(sent)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return answer{code: response.StatusCode, retry: response.Header.Get("Retry-After"), body: string(body), err: err}
}

// filled is a request with a complete body.
func filled(resource, user string, size int) request {
	return request{resource: resource, user: user, length: int64(size), body: strings.NewReader(strings.Repeat("x", size))}
}

// drip is a request whose body does not end before the test does; some bytes of it are sent.
func drip(t *testing.T, resource, user string, length int64, sent int) request {
	t.Helper()
	reader, writer := io.Pipe()
	t.Cleanup(func() { _ = writer.Close() })
	go func() { _, _ = writer.Write([]byte(strings.Repeat("x", sent))) }()
	return request{resource: resource, user: user, length: length, body: reader}
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, limit, time.Millisecond, what)
}

// used returns what is in use of a pool, and the number of callers.
func (p *pool) used() (int64, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken, len(p.callers)
}
