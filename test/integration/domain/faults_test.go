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

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// recovery is the maximum time from the end of a fault until everything is Ready.
const recovery = time.Minute

// faults injects faults while Domains exist, are created and are deleted. It is a part of
// TestSituations.
func faults(t *testing.T) {
	const create = "/domain"
	for name, f := range map[string]struct {
		fault takaro.Fault
		// lasts is the duration of the fault if it has no limit of its own.
		lasts time.Duration
	}{
		"down":          {takaro.Fault{Kind: takaro.FaultDown}, 6 * time.Second},
		"slow":          {takaro.Fault{Kind: takaro.FaultLatency, Latency: 2 * time.Second}, 4 * time.Second},
		"retry-after":   {takaro.Fault{Kind: takaro.FaultTooMany, RetryAfter: 3 * time.Second, Times: 3}, 0},
		"500-before":    {takaro.Fault{Kind: takaro.FaultErrorBefore}, 4 * time.Second},
		"500-after":     {takaro.Fault{Kind: takaro.FaultErrorAfter, Method: http.MethodPost, Path: create, Times: 2}, 0},
		"cut-before":    {takaro.Fault{Kind: takaro.FaultCutBefore, Method: http.MethodPost, Path: create, Times: 2}, 0},
		"cut-after":     {takaro.Fault{Kind: takaro.FaultCutAfter, Method: http.MethodPost, Path: create, Times: 2}, 0},
		"delete-cut":    {takaro.Fault{Kind: takaro.FaultCutAfter, Method: http.MethodDelete, Times: 2}, 0},
		"half-made":     {takaro.Fault{Kind: takaro.FaultHalfMade, Times: 3}, 0},
		"bad-gateway":   {takaro.Fault{Kind: takaro.FaultBadGateway}, 4 * time.Second},
		"slow-body":     {takaro.Fault{Kind: takaro.FaultSlowBody, Latency: 2 * time.Millisecond}, 4 * time.Second},
		"token-revoked": {takaro.Fault{Kind: takaro.FaultTokenRevoked}, 4 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newTeam(t, takaro.Options{})
			u.apply("there", ownLogin)
			u.apply("goes", ownLogin)
			there := u.requireWhole("there")
			u.requireWhole("goes")
			end := u.Fault(f.fault)
			u.apply("comes", ownLogin)
			u.apply("comes-and-goes", ownLogin)
			u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "goes", "--wait=false")
			u.patch("there", `{"name":"renamed"}`)
			if f.lasts > 0 {
				time.Sleep(f.lasts) // the duration of the fault
			}
			u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "comes-and-goes", "--wait=false")
			end()
			begin := time.Now()
			u.requireWhole("comes")
			assert.Equal(t, there.ID, u.requireWhole("there").ID)
			u.awaitGone("goes")
			took := time.Since(begin)
			t.Logf("all is well %d ms after the fault", took.Milliseconds())
			assert.Less(t, took, recovery)
			// A create with an unknown outcome may take effect for several minutes.
			u.Kubectl(t, "wait", "--for=delete", "domains.takaro.roadstead.dev/comes-and-goes", "--timeout="+
				(ownership.CreateWindow+recovery).String())
			require.Len(t, u.Takaro.Domains(), 2, "nothing is left over")
			now, _ := u.Takaro.Domain(there.ID)
			assert.Equal(t, "renamed", now.Name)
		})
	}
}

func TestStatusSaysWhatIsWrongAndThenNothingMoves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind            takaro.FaultKind
		reason, message string
	}{
		"down":    {takaro.FaultDown, v1alpha1.ReasonEndpointUnavailable, "does not answer"},
		"revoked": {takaro.FaultTokenRevoked, v1alpha1.ReasonAdminTokenRefused, "valid admin token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newTeam(t, takaro.Options{})
			u.apply("arena", ownLogin)
			u.requireWhole("arena")
			end := u.Fault(takaro.Fault{Kind: c.kind})
			// A Ready Domain reports the failure at the latest when the circuit breaker has been
			// open for a minute.
			framework.AwaitFor(t, 2*time.Minute, "the status says it", func() error {
				domain := u.get("arena")
				found := domain.Status.Conditions
				for _, condition := range found {
					if condition.Type == v1alpha1.ConditionEndpointReady {
						return framework.Unless(condition.Reason == c.reason && strings.Contains(condition.Message, c.message), "%+v", condition)
					}
				}
				return fmt.Errorf("no condition")
			})
			assert.NotEqual(t, v1alpha1.DomainReady, u.get("arena").Status.Phase)
			// A failed list reports it first. When the verified state has expired, the search for
			// the anchor reports it, too.
			since, version := time.Now(), ""
			framework.Await(t, "a window in which the status does not move", func() error {
				if now := u.get("arena").ResourceVersion; now != version {
					since, version = time.Now(), now
					u.Takaro.ResetCounts()
				}
				return framework.Unless(time.Since(since) >= 2*comparePeriod, "it moved %s ago", time.Since(since))
			})
			assert.LessOrEqual(t, u.Takaro.Count("", ""), 4, "it is hardly asked")
			end()
			begin := time.Now()
			u.awaitReady("arena")
			t.Logf("Ready %d ms after the fault", time.Since(begin).Milliseconds())
			assert.Less(t, time.Since(begin), recovery)
		})
	}
}
