// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

const (
	leases = "/apis/coordination.k8s.io/v1/namespaces/ns/leases"
	mine   = leases + "/mine"
	domain = "/apis/takaro.roadstead.dev/v1alpha1/namespaces/ns/domains/a"
)

// held, given and another are request bodies. The leader election renews with the first and
// releases with the second.
const (
	held    = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"mine"},"spec":{"holderIdentity":"pod-1"}}`
	given   = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"mine"},"spec":{"holderIdentity":""}}`
	another = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"another"},"spec":{"holderIdentity":"pod-1"}}`
	unsaid  = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"mine"}}`
)

// apiServer responds with a fixed status, records the requests, and has a client with a fence.
type apiServer struct {
	*testing.T
	url    string
	client *http.Client
	clock  *clocktesting.FakePassiveClock
	fence  *Fence
	status int
	got    []string
}

func newAPIServer(t *testing.T) *apiServer {
	t.Helper()
	s := &apiServer{T: t, status: http.StatusOK, clock: clocktesting.NewFakePassiveClock(time.Now())}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.got = append(s.got, r.Method+" "+r.URL.Path+" "+string(body))
		w.WriteHeader(s.status)
	}))
	t.Cleanup(server.Close)
	s.url, s.fence = server.URL, New("mine", 15*time.Second, s.clock)
	s.client = &http.Client{Transport: s.fence.Wrap(http.DefaultTransport)}
	return s
}

// send requires that a request is either rejected or sent unchanged.
func (s *apiServer) send(method, path, body string) error {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s, err)
	before := len(s.got)
	response, err := s.client.Do(request)
	if err != nil {
		require.Len(s, s.got, before, "what is refused is not sent")
		return err
	}
	require.Equal(s, []string{method + " " + path + " " + body}, s.got[before:])
	return response.Body.Close()
}

func (s *apiServer) pass(d time.Duration) { s.clock.SetTime(s.clock.Now().Add(d)) }

func TestNothingIsChangedWhenTheLeaseMayBeLost(t *testing.T) {
	s := newAPIServer(t)
	require.NoError(t, s.send(http.MethodPost, domain, "{}"), "it has never led")
	require.NoError(t, s.send(http.MethodPost, leases, held))
	s.pass(14 * time.Second)
	require.NoError(t, s.send(http.MethodPatch, domain, "{}"))
	require.NoError(t, s.send(http.MethodPut, mine, held))
	s.pass(14 * time.Second)
	require.NoError(t, s.fence.Check(), "it was renewed")

	s.status = http.StatusConflict
	require.NoError(t, s.send(http.MethodPut, mine, held))
	s.status = http.StatusOK
	require.NoError(t, s.send(http.MethodPut, leases+"/another", another), "not yet")
	require.NoError(t, s.send(http.MethodPost, leases, another), "not yet")
	s.pass(time.Second)
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		require.ErrorContains(t, s.send(method, domain, "{}"), "this controller has not renewed its Lease mine for 15s")
	}
	require.ErrorContains(t, s.send(http.MethodPut, leases+"/another", another), "Lease mine")
	require.ErrorContains(t, s.send(http.MethodPost, leases, another), "Lease mine")
	require.NoError(t, s.send(http.MethodGet, domain, ""), "to read is allowed")
	s.status = http.StatusConflict
	require.NoError(t, s.send(http.MethodPut, mine, held), "and to try again")
	require.Error(t, s.fence.Check(), "which was in vain")
	s.status = http.StatusOK
	require.NoError(t, s.send(http.MethodPut, mine, held))
	require.NoError(t, s.fence.Check())
	require.NoError(t, s.send(http.MethodDelete, domain, "{}"))
}

func TestNothingIsChangedAfterTheLeaseWasReleased(t *testing.T) {
	for name, c := range map[string]struct {
		method, body string
		status       int
	}{
		"released":             {http.MethodPut, given, http.StatusOK},
		"release is in doubt":  {http.MethodPut, given, http.StatusInternalServerError},
		"holder not mentioned": {http.MethodPut, unsaid, http.StatusOK},
		"body not understood":  {http.MethodPut, "", http.StatusOK},
		"deleted":              {http.MethodDelete, "{}", http.StatusOK},
	} {
		s := newAPIServer(t)
		require.NoError(t, s.send(http.MethodPost, leases, held))
		require.NoError(t, s.fence.Check(), name)
		s.status = c.status
		require.NoError(t, s.send(c.method, mine, c.body), name)
		s.status = http.StatusOK
		require.ErrorContains(t, s.fence.Check(), "has released its Lease mine", name)
		require.ErrorContains(t, s.send(http.MethodPatch, domain, "{}"), "makes no further changes", name)
		s.pass(14 * time.Second)
		require.Error(t, s.fence.Check(), name)
		require.NoError(t, s.send(http.MethodPut, mine, held), "%s: it may be elected again", name)
		require.NoError(t, s.fence.Check(), name)
	}
}

// Runs the actual leader election with either encoding: the request that it sends when it stops
// must close the fence.
func TestTheFenceFollowsTheLeaderElection(t *testing.T) {
	for _, contentType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		fence, elected := New("mine", 15*time.Second, clock.RealClock{}), make(chan struct{})
		server := httptest.NewServer(&leaseServer{})
		config := &rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: contentType}}
		config.Wrap(fence.Wrap)
		identity := resourcelock.ResourceLockConfig{Identity: "pod-1"}
		lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, "ns", "mine", identity, config, time.Second)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
				Lock: lock, ReleaseOnCancel: true,
				LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 20 * time.Millisecond,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { close(elected) }, OnStoppedLeading: func() {},
				},
			})
		}()
		<-elected
		require.NoError(t, fence.Check(), contentType)
		require.Falsef(t, fence.renewed.IsZero(), "%s: it was noted", contentType)
		cancel()
		<-ended
		require.ErrorContains(t, fence.Check(), "has released its Lease", contentType)
		server.Close()
	}
}

// leaseServer stores a single Lease.
type leaseServer struct {
	mu          sync.Mutex
	contentType string
	lease       []byte
}

func (s *leaseServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method != http.MethodGet:
		s.contentType = r.Header.Get("Content-Type")
		s.lease, _ = io.ReadAll(r.Body)
	case s.lease == nil:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", s.contentType)
	_, _ = w.Write(s.lease)
}

func TestLapsed(t *testing.T) {
	s := newAPIServer(t)
	s.pass(time.Hour)
	require.Zero(t, s.fence.Lapsed(), "it has never led")
	require.NoError(t, s.send(http.MethodPost, leases, held))
	s.pass(15 * time.Second)
	require.Zero(t, s.fence.Lapsed())
	s.pass(time.Minute)
	require.Equal(t, time.Minute, s.fence.Lapsed())
	require.NoError(t, s.send(http.MethodPut, mine, held))
	require.Zero(t, s.fence.Lapsed())
}
