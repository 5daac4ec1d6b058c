// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"
)

const (
	leases = "/apis/coordination.k8s.io/v1/namespaces/ns/leases"
	mine   = leases + "/mine"
	other  = "/apis/takaro.roadstead.dev/v1alpha1/namespaces/ns/domains/a"
)

func TestNothingIsChangedWhenTheLeaseMayBeLost(t *testing.T) {
	status := http.StatusOK
	var came []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		came = append(came, r.Method+" "+r.URL.Path)
		w.WriteHeader(status)
	}))
	defer server.Close()
	clock := clocktesting.NewFakePassiveClock(time.Now())
	f := New("mine", 15*time.Second, clock)
	client := &http.Client{Transport: f.Wrap(http.DefaultTransport)}
	send := func(method, path string) error {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, io.NopCloser(strings.NewReader("{}")))
		require.NoError(t, err)
		before := len(came)
		response, err := client.Do(request)
		if err != nil {
			require.Len(t, came, before, "what is refused is not sent")
			return err
		}
		require.Len(t, came, before+1)
		return response.Body.Close()
	}

	require.NoError(t, send(http.MethodPost, other), "it has never led")
	require.NoError(t, send(http.MethodPost, leases))
	clock.SetTime(clock.Now().Add(14 * time.Second))
	require.NoError(t, send(http.MethodPatch, other))
	require.NoError(t, send(http.MethodPut, mine))
	clock.SetTime(clock.Now().Add(14 * time.Second))
	require.NoError(t, f.Check(), "it was renewed")

	status = http.StatusConflict
	require.NoError(t, send(http.MethodPut, mine))
	require.NoError(t, send(http.MethodPut, leases+"/another"), "not yet")
	clock.SetTime(clock.Now().Add(time.Second))
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		require.ErrorContains(t, send(method, other), "this controller has not renewed its Lease mine for 15s")
	}
	require.ErrorContains(t, send(http.MethodPut, leases+"/another"), "Lease mine")
	require.NoError(t, send(http.MethodGet, other), "to look is allowed")
	require.NoError(t, send(http.MethodPut, mine), "and to try again")
	require.Error(t, f.Check(), "which was in vain")
	status = http.StatusOK
	require.NoError(t, send(http.MethodPut, mine))
	require.NoError(t, f.Check())
	require.NoError(t, send(http.MethodDelete, other))
}
