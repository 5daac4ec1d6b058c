// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/fence"
)

// ledUntil returns the fence of a process that renewed its Lease the given time ago. A negative
// time means that it never did.
func ledUntil(t *testing.T, ago time.Duration) *fence.Fence {
	t.Helper()
	clock := clocktesting.NewFakePassiveClock(time.Now())
	f := fence.New(Name, fence.LeaseDuration, clock)
	if ago < 0 {
		return f
	}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	const url = "/apis/coordination.k8s.io/v1/namespaces/n/leases/" + Name
	const lease = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"` + Name + `"},"spec":{"holderIdentity":"pod"}}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+url, strings.NewReader(lease))
	require.NoError(t, err)
	response, err := f.Wrap(http.DefaultTransport).RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	clock.SetTime(clock.Now().Add(ago))
	return f
}

func TestHealth(t *testing.T) {
	for name, c := range map[string]struct {
		renewed  time.Duration
		without  bool // without leader election
		unfilled bool // without filled caches
		running  time.Duration
		// dead and unready are the checks that fail, or "" for none.
		dead, unready string
	}{
		"leads":                            {},
		"in reserve":                       {renewed: -1},
		"without election":                 {without: true},
		"caches are not filled":            {unfilled: true, unready: "caches"},
		"Lease has just ended":             {renewed: 20 * time.Second, unready: "lease"},
		"Lease ended, and it still runs":   {renewed: 80 * time.Second, dead: "lease", unready: "lease"},
		"reconciliation within deadline":   {running: base.DomainTimeout},
		"reconciliation heeds no deadline": {running: 11 * time.Minute, dead: "reconciliations"},
	} {
		t.Run(name, func(t *testing.T) {
			checked := &health{
				synced:  func(context.Context) bool { return !c.unfilled },
				longest: func() (string, time.Duration) { return "Domain", c.running },
			}
			if !c.without {
				checked.fence = ledUntil(t, c.renewed)
			}
			for path, fails := range map[string]string{"/healthz": c.dead, "/readyz": c.unready} {
				recorder := httptest.NewRecorder()
				checked.handlers()[path].ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
				code, says := http.StatusOK, "ok"
				if fails != "" {
					code, says = http.StatusInternalServerError, "[-]"+fails+" failed"
				}
				assert.Equal(t, code, recorder.Code, path)
				assert.Contains(t, recorder.Body.String(), says, path)
			}
		})
	}
}

// TestHealth_CachesThatHang checks that the response is sent within the timeout of a probe.
func TestHealth_CachesThatHang(t *testing.T) {
	checked := &health{synced: func(ctx context.Context) bool {
		<-ctx.Done()
		return false
	}}
	start := time.Now()
	require.Error(t, checked.filled(httptest.NewRequest(http.MethodGet, "/readyz", nil)))
	require.Less(t, time.Since(start), time.Second)
	require.Error(t, (&health{}).filled(httptest.NewRequest(http.MethodGet, "/readyz", nil)), "the manager is not there yet")
}

// discovered is the discovery of a cluster that lacks only the groups of roadstead-apiserver.
var discovered = map[string]string{
	"/api": `{"kind":"APIVersions","versions":["v1"]}`,
	"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","namespaced":true,"kind":"Pod"},` +
		`{"name":"secrets","namespaced":true,"kind":"Secret"}]}`,
	"/apis": `{"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]}]}`,
	"/apis/apps/v1": `{"kind":"APIResourceList","groupVersion":"apps/v1","resources":[
		{"name":"statefulsets","namespaced":true,"kind":"StatefulSet"}]}`,
}

// TestRun_AnswersProbesWhileItWaitsForGroups starts with a cluster that serves none of the groups.
func TestRun_AnswersProbesWhileItWaitsForGroups(t *testing.T) {
	asked := make(chan struct{}, 100)
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if found, ok := discovered[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, found)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/apis/takaro.roadstead.dev") {
			select {
			case asked <- struct{}{}:
			default:
			}
		}
		http.Error(w, "unavailable", http.StatusServiceUnavailable)
	}))
	t.Cleanup(cluster.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, []byte(`{"apiVersion":"v1","kind":"Config","current-context":"c",
"contexts":[{"name":"c","context":{"cluster":"c"}}],
"clusters":[{"name":"c","cluster":{"server":"`+cluster.URL+`"}}]}`), 0o600))
	o := NewOptions()
	o.Kubeconfig, o.Namespace, o.MetricsBindAddress = kubeconfig, "roadstead-system", freeAddress(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx) }()
	select {
	case <-asked:
	case err := <-ended:
		require.FailNow(t, "it ended", "%v", err)
	}
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable} {
		response, err := http.Get("http://" + o.MetricsBindAddress + path)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, want, response.StatusCode, "%s: %s", path, body)
	}
	cancel()
	require.NoError(t, <-ended)
	listener, err := net.Listen("tcp", o.MetricsBindAddress)
	require.NoError(t, err, "the address is released")
	require.NoError(t, listener.Close())
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	return listener.Addr().String()
}

// TestStartWaits_EndBeforeStartupProbe sums up how long the controller waits for groups before it
// ends with an error that names the missing one.
func TestStartWaits_EndBeforeStartupProbe(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "artifacts", "deploy", "base", "controller.yaml"))
	require.NoError(t, err)
	var deployment appsv1.Deployment
	require.NoError(t, yaml.Unmarshal(text, &deployment))
	container := deployment.Spec.Template.Spec.Containers[0]
	probe := container.StartupProbe
	require.NotNil(t, probe)
	waits := time.Duration(len(groups)) * awaitLimit
	assert.Greater(t, time.Duration(probe.PeriodSeconds*probe.FailureThreshold)*time.Second, waits)
	assert.Equal(t, container.LivenessProbe.HTTPGet, probe.HTTPGet)
	assert.Zero(t, container.LivenessProbe.InitialDelaySeconds, "the startup probe precedes it")
	assert.NotEqual(t, container.ReadinessProbe.HTTPGet.Path, container.LivenessProbe.HTTPGet.Path)
}
