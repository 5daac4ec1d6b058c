// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/controllers/base/fence"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// applyMany applies several Domains together and returns their names.
func (u *team) applyMany(prefix string, n int, spec ...string) []string {
	u.T.Helper()
	var names, all []string
	for i := range n {
		name := fmt.Sprintf("%s-%d", prefix, i)
		names, all = append(names, name), append(all, u.manifest(name, spec...))
	}
	u.KubectlIn(u.T, strings.Join(all, "---\n"), "apply", "-f", "-")
	return names
}

func (u *team) requireAllWhole(names []string) {
	u.T.Helper()
	for _, name := range names {
		u.requireWhole(name)
	}
	require.Len(u.T, u.Takaro.Domains(), len(names), "one domain for each, and no other")
}

// asked waits until Takaro has received n requests with a method and path.
func (u *team) asked(n int, method, path string) {
	u.T.Helper()
	framework.Await(u.T, method+" "+path, func() error {
		return framework.Unless(u.Takaro.Count(method, path) >= n, "%d",
			u.Takaro.Count(method, path))
	})
}

// killedInCreateAndDelete kills the controller at times chosen so that some Domains are before,
// some in, and some after each step.
func killedInCreateAndDelete(t *testing.T) {
	withoutTheUsual(t)
	u := newRestartedTeam(t, takaro.Options{CreateLatency: 300 * time.Millisecond, Latency: 30 * time.Millisecond})
	controller := leading(t)
	names := u.applyMany("arena", 12, ownLogin)
	u.asked(6, http.MethodPost, "/domain")
	require.NoError(t, controller.Kill())
	begin := time.Now()
	controller = leading(t)
	u.requireAllWhole(names)
	t.Logf("12 Domains are whole %d ms after a kill", time.Since(begin).Milliseconds())

	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "--all", "--wait=false")
	u.asked(4, http.MethodDelete, "/domain/*")
	require.NoError(t, controller.Kill())
	leading(t)
	u.Kubectl(t, "wait", "--for=delete", "domains.takaro.roadstead.dev", "--all", "--timeout=60s")
	assert.Empty(t, u.Takaro.Domains())
}

func deletedWhileTheControllerDies(t *testing.T) {
	withoutTheUsual(t)
	u := newRestartedTeam(t, takaro.Options{})
	defer u.Fault(takaro.Fault{Kind: takaro.FaultLatency, Method: http.MethodPost, Path: "/domain", Latency: 3 * time.Second})()
	controller := leading(t)
	names := u.applyMany("arena", 3, ownLogin)        // the number of concurrent creates
	u.asked(len(names)+1, http.MethodPost, "/domain") // the first request creates the anchor
	require.NoError(t, controller.Kill())
	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "--all", "--wait=false")
	leading(t)
	u.Kubectl(t, "wait", "--for=delete", "domains.takaro.roadstead.dev", "--all", "--timeout=60s")
	framework.Await(t, "Takaro has finished what it was asked", func() error {
		for _, request := range u.Takaro.Requests() {
			if request.Method == http.MethodPost && request.Path == "/domain" && request.Status == 0 {
				return fmt.Errorf("a create is under way")
			}
		}
		return nil
	})
	assert.Empty(t, u.Takaro.Domains(), "a create that was under way leaves nothing")
}

func twoControllersThatBothLead(t *testing.T) {
	withoutTheUsual(t)
	u := newRestartedTeam(t, takaro.Options{CreateLatency: 500 * time.Millisecond, Latency: 20 * time.Millisecond})
	leading(t)
	leading(t)
	names := append(u.applyMany("arena", 10, ownLogin), u.applyTyped("typed", 4)...)
	begin := time.Now()
	u.requireAllWhole(names)
	t.Logf("14 Domains are whole after %d ms", time.Since(begin).Milliseconds())
	u.patch("arena-0", `{"name":"renamed"}`)
	u.awaitReady("arena-0")
	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "--all", "--timeout=60s")
	assert.Empty(t, u.Takaro.Domains())
}

// applyTyped applies Domains whose references are their names.
func (u *team) applyTyped(prefix string, n int) []string {
	u.T.Helper()
	var names []string
	for i := range n {
		name := fmt.Sprintf("%s-%d", prefix, i)
		u.apply(name, ownLogin, "externalReferenceId: "+name+"-reference")
		names = append(names, name)
	}
	return names
}

// leaseTakenOver verifies that the next controller acquires the Lease of a killed one after its
// expiry, and is inactive before.
func leaseTakenOver(t *testing.T) {
	u := newRestartedTeam(t, takaro.Options{})
	before := controllerLease(t)
	killed := time.Now()
	require.NoError(t, restarted.Roadstead.Controller().Kill())
	u.apply("arena", ownLogin)
	require.NoError(t, restarted.Roadstead.Controller().Start(t.Context()))
	u.requireWhole("arena")
	t.Logf("the next controller works %d ms after the kill", time.Since(killed).Milliseconds())
	after := controllerLease(t)
	assert.NotEqual(t, before.HolderIdentity, after.HolderIdentity, "the killed controller held the Lease")
	assert.Equal(t, *before.LeaseTransitions+1, *after.LeaseTransitions, "it was taken over once")
	assert.Greater(t, after.AcquireTime.Sub(killed), fence.LeaseDuration, "it had expired")
	assert.True(t, u.Takaro.Requests()[0].Time.After(after.AcquireTime.Time), "Takaro is not called without the Lease")
}

// controllerLease returns the Lease of the controllers.
func controllerLease(t *testing.T) coordinationv1.LeaseSpec {
	t.Helper()
	lease, err := restarted.Admin.CoordinationV1().Leases(install.Namespace).Get(t.Context(), install.Controller, metav1.GetOptions{})
	require.NoError(t, err)
	require.NotNil(t, lease.Spec.LeaseTransitions)
	return lease.Spec
}
