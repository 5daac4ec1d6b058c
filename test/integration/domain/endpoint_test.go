// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// vanishedLimit is sufficient for two comparisons one minute apart.
const vanishedLimit = 3 * time.Minute

// endpoint returns the only TakaroEndpoint of the namespace, or nil if there is none.
func (u *team) endpoint() *v1alpha1.TakaroEndpoint {
	u.T.Helper()
	list := &v1alpha1.TakaroEndpointList{}
	out := u.Kubectl(u.T, "get", "takaroendpoints", "-o", "json")
	require.NoError(u.T, json.Unmarshal([]byte(out), list))
	if len(list.Items) == 0 {
		return nil
	}
	require.Len(u.T, list.Items, 1)
	return &list.Items[0]
}

// awaitDomains waits until the TakaroEndpoint reports the given number of Domains.
func (u *team) awaitDomains(count int) *v1alpha1.TakaroEndpoint {
	u.T.Helper()
	var e *v1alpha1.TakaroEndpoint
	framework.Await(u.T, "the TakaroEndpoint counts the Domains", func() error {
		e = u.endpoint()
		return framework.Unless(e != nil && int(e.Status.Domains) == count, "it is %+v", e)
	})
	return e
}

func TestTakaroEndpoint_Kubectl(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	u.awaitReady("arena")
	e := u.awaitDomains(1)
	assert.Equal(t, u.Takaro.URL(), e.Spec.URL)
	assert.NotEmpty(t, e.Status.Installation)
	assert.Contains(t, u.get("arena").Status.ExternalReferenceID, "roadstead:"+e.Status.Installation+":")

	table := strings.Fields(u.Kubectl(t, "get", "tep"))
	assert.Subset(t, table, []string{"URL", "DOMAINS", "HELD", "REASON", e.Name, u.Takaro.URL(), "NothingHeld"})
	assert.NotContains(t, table, "INSTALLATION")
	assert.Subset(t, strings.Fields(u.Kubectl(t, "get", "tep", "-o", "wide")), []string{"INSTALLATION", e.Status.Installation})
	assert.Contains(t, u.Kubectl(t, "describe", "tep", e.Name), "No change at this address waits for a release.")
	assert.Contains(t, u.Kubectl(t, "explain", "tep.status.holds"), "TakaroEndpoint")

	manifest := "apiVersion: takaro.roadstead.dev/v1alpha1\nkind: TakaroEndpoint\nmetadata: {name: mine}\nspec: {url: " +
		"https://api.takaro.example}\n"
	assert.Contains(t, u.KubectlFails(t, manifest, "create", "-f", "-"), "orbidden")
	ctx, cancel := context.WithTimeout(t.Context(), framework.Limit)
	defer cancel()
	_, problems, err := env.Cluster.KubectlAs(env.Cluster.Kubeconfig()).WithStdin(strings.NewReader(manifest)).Run(ctx, "create",
		"-n", u.Namespace, "-f", "-")
	require.Error(t, err, "an administrator of the cluster creates none either")
	assert.Contains(t, problems, "creates TakaroEndpoints")
	assert.Contains(t, u.KubectlFails(t, "", "delete", "tep", e.Name), "orbidden")
	assert.Contains(t, u.KubectlFails(t, "", "patch", "tep", e.Name, "--type=merge", "-p", `{"spec":{"url":"https://other.example"}}`),
		"immutable")

	// A token that matches no hold is rejected and removed.
	u.Kubectl(t, "annotate", "tep", e.Name, "roadstead.dev/release-hold=4-abcdef")
	framework.Await(t, "the annotation is removed", func() error {
		return framework.Unless(len(u.endpoint().Annotations) == 0, "it is %v", u.endpoint().Annotations)
	})
	framework.Await(t, "an event says why", func() error {
		events := u.Kubectl(t, "events", "--for", "takaroendpoint/"+e.Name)
		return framework.Unless(strings.Contains(events, "ReleaseRefused"), "they are %s", events)
	})

	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "arena", "--timeout=60s")
	framework.Await(t, "nothing uses it", func() error { return framework.Unless(u.endpoint() == nil, "it exists") })
}

func TestTakaroEndpoint_DeletedWhileUsed(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	u.awaitReady("arena")
	e := u.awaitDomains(1)
	_, problems, err := env.Cluster.Kubectl(t.Context(), "delete", "takaroendpoints", e.Name, "-n", u.Namespace, "--wait=false")
	require.NoError(t, err, problems)
	u.patch("arena", `{"description":"still works"}`)
	u.awaitReady("arena")
	require.NotNil(t, u.endpoint(), "a Domain uses it")
	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "arena", "--timeout=60s")
	framework.Await(t, "it is deleted", func() error { return framework.Unless(u.endpoint() == nil, "it exists") })
}

// heldUntilReleased simulates a database that lost half of the domains. It is a part of
// TestSituations.
func heldUntilReleased(t *testing.T) {
	const all, lost = 8, 4
	u := newTeam(t, takaro.Options{})
	names := make([]string, all)
	for i := range names {
		names[i] = fmt.Sprintf("arena-%d", i)
		u.apply(names[i], ownLogin)
	}
	ids := map[string]string{}
	for _, name := range names {
		ids[name] = u.awaitReady(name).Status.DomainID
	}
	u.awaitDomains(all)
	for _, name := range names[:lost] {
		require.True(t, u.Takaro.RemoveDomain(ids[name]))
	}
	var e *v1alpha1.TakaroEndpoint
	framework.AwaitFor(t, vanishedLimit, "the domains are held", func() error {
		e = u.endpoint()
		return framework.Unless(len(e.Status.Holds) == 1 && e.Status.Holds[0].Held == lost, "it is %+v", e.Status)
	})
	token := e.Status.Holds[0].Token
	command := fmt.Sprintf("kubectl annotate takaroendpoints.takaro.roadstead.dev %s -n %s roadstead.dev/release-hold=%s --overwrite",
		e.Name, u.Namespace, token)
	described := strings.Join(strings.Fields(u.Kubectl(t, "describe", "tep", e.Name)), " ")
	assert.Contains(t, described, command)
	framework.AwaitFor(t, vanishedLimit, "the Domain to name the command", func() error {
		domain := u.await(names[0], v1alpha1.ConditionReady, "False Vanished")
		return framework.Unless(strings.Contains(message(domain, v1alpha1.ConditionReady), command), "it is %+v", domain.Status.Conditions)
	})
	assert.Len(t, u.Takaro.Domains(), all-lost, "none was created anew")
	u.awaitReady(names[all-1])

	u.Kubectl(t, strings.Fields(strings.TrimPrefix(command, "kubectl "))...)
	for _, name := range names[:lost] {
		assert.NotEqual(t, ids[name], u.AwaitDomain(vanishedLimit, name, v1alpha1.ConditionReady, "True AsSpecified").Status.DomainID)
		u.requireWhole(name)
	}
	for _, name := range names[lost:] {
		assert.Equal(t, ids[name], u.get(name).Status.DomainID)
	}
	assert.Len(t, u.Takaro.Domains(), all)
	framework.Await(t, "nothing is held any more", func() error {
		e := u.endpoint()
		return framework.Unless(len(e.Status.Holds) == 0 && len(e.Annotations) == 0, "it is %+v", e)
	})
}
