// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package replicas

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
)

// discovery is the discovery path of Roadstead's kinds.
const discovery = "/apis/takaro.roadstead.dev/v1alpha1"

// operation is one request of a load and the expected status code.
type operation struct {
	method, path, contentType, body string
	code                            int
}

// failure is a request without the expected response.
type failure struct {
	sent time.Time
	took time.Duration
	what string
}

func (f failure) String() string {
	return fmt.Sprintf("%s (%d ms): %s", f.sent.Format("15:04:05.000"), f.took.Milliseconds(), f.what)
}

// load is traffic to the cluster by a client that does not retry.
type load struct {
	client *http.Client
	host   string
	limit  time.Duration
	stop   context.CancelFunc
	ended  sync.WaitGroup

	mu       sync.Mutex
	answered int
	failures []failure
}

// newLoad returns traffic of a user with limit as the timeout of each request.
func newLoad(t *testing.T, config *rest.Config, limit time.Duration) *load {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	return &load{client: client, host: config.Host, limit: limit, stop: func() {}}
}

// mixed starts reads and writes of one user and discovery with a total of perSecond requests per
// second. Stop it with end.
func mixed(t *testing.T, u *framework.User, perSecond int) *load {
	t.Helper()
	l := newLoad(t, u.Config, 10*time.Second)
	const workers = 10
	l.start(workers, time.Second*workers/time.Duration(perSecond), func(worker, round int) []operation {
		return cycle(u.Namespace, fmt.Sprintf("load-%d-%d", worker, round))
	})
	t.Cleanup(l.end)
	return l
}

// cycle returns the operations from the creation to the deletion of one Domain.
func cycle(namespace, name string) []operation {
	all := framework.DomainsPath(namespace)
	one := all + "/" + name
	manifest := fmt.Sprintf(`{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"Domain","metadata":{"name":%q},`+
		`"spec":{"takaroApiUrl":"https://api.takaro.test"}}`, name)
	return []operation{
		{method: http.MethodPost, path: all, contentType: "application/json", body: manifest, code: http.StatusCreated},
		{method: http.MethodGet, path: one, code: http.StatusOK},
		{method: http.MethodPatch, path: one, contentType: "application/merge-patch+json", body: `{"metadata":{"labels":{"patched":"yes"}}}`,
			code: http.StatusOK},
		{method: http.MethodGet, path: all + "?limit=20", code: http.StatusOK},
		{method: http.MethodGet, path: discovery, code: http.StatusOK},
		{method: http.MethodDelete, path: one, code: http.StatusOK},
	}
}

// start runs rounds of operations in a number of workers. Each worker sends a request every pace;
// zero means without a pause.
func (l *load) start(workers int, pace time.Duration, round func(worker, round int) []operation) {
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	for worker := range workers {
		l.ended.Go(func() {
			ticker := time.NewTicker(max(pace, 1))
			defer ticker.Stop()
			for n := 0; ctx.Err() == nil; n++ {
				for _, operation := range round(worker, n) {
					done := l.do(ctx, operation)
					select {
					case <-ctx.Done():
					case <-ticker.C:
					}
					if !done {
						break // the following operations depend on this one
					}
				}
			}
		})
	}
}

// end stops the traffic and returns when all requests have completed. It can be called more than
// once.
func (l *load) end() {
	l.stop()
	l.ended.Wait()
}

// do sends one request and reports whether it got the expected response.
func (l *load) do(ctx context.Context, o operation) bool {
	// A request in flight is completed, because an abort would look like a failure of the server.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.limit)
	defer cancel()
	sent := time.Now()
	err := l.exchange(ctx, o)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.failures = append(l.failures, failure{sent, time.Since(sent), fmt.Sprintf("%s %s: %v", o.method, o.path, err)})
		return false
	}
	l.answered++
	return true
}

func (l *load) exchange(ctx context.Context, o operation) error {
	request, err := http.NewRequestWithContext(ctx, o.method, l.host+o.path, strings.NewReader(o.body))
	if err != nil {
		return err
	}
	if o.contentType != "" {
		request.Header.Set("Content-Type", o.contentType)
	}
	response, err := l.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != o.code {
		return fmt.Errorf("%s: %.300s", response.Status, body)
	}
	return nil
}

// result returns the number of successful requests, and the failures.
func (l *load) result() (int, []failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answered, append([]failure(nil), l.failures...)
}

// faultless requires traffic without a failure.
func (l *load) faultless(t *testing.T, atLeast int) {
	t.Helper()
	l.end()
	answered, failures := l.result()
	t.Logf("%d requests answered, %d failed", answered, len(failures))
	require.Empty(t, failures)
	require.Greater(t, answered, atLeast)
}
