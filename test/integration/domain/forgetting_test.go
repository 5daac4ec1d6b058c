// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

const (
	// lostAfter is the time after which an absence is confirmed: the window, two comparisons, and
	// the time for a reconciliation.
	lostAfter = ownership.VanishedWindow + 2*comparePeriod + 10*time.Second
	// madeAgain bounds the time until a lost domain is replaced.
	madeAgain = lostAfter + framework.Limit
)

// releaseCommand matches the command in a message that ends a hold.
var releaseCommand = regexp.MustCompile(`kubectl annotate (takaroendpoints\.takaro\.roadstead\.dev \S+ -n \S+ ` +
	`roadstead\.dev/release-hold=[0-9]+-[0-9a-f]{6})`)

// TestSituations runs the tests that take minutes in parallel. Takaro fails, and it loses, confuses
// and withholds data. In each case, no third-party object and no object in use is deleted, no root
// login is overwritten, and objects that wait report how to continue.
func TestSituations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"faults":                         faults,
		"held until released":            heldUntilReleased,
		"created anew":                   createdAnew,
		"rolled back":                    rolledBack,
		"swapped and swapped back":       swappedAndBack,
		"truncated lists":                truncatedLists,
		"a stranger takes the reference": strangerTakesReference,
		"a status in another namespace":  statusInAnotherNamespace,
		"empty without a root password":  emptyForAMoment,
		"a create of 33 s":               slowCreate,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func rolledBack(t *testing.T) {
	u := newTeam(t, takaro.Options{})
	u.apply("before", ownLogin)
	u.requireWhole("before")
	u.Takaro.SaveSnapshot("an hour ago")
	names := []string{"one", "two", "three", "four"}
	former, passwords := map[string]string{}, map[string]string{}
	for _, name := range names {
		u.apply(name, ownLogin)
	}
	for _, name := range names {
		former[name] = u.requireWhole(name).ID
		passwords[name] = string(u.secret(name + "-root").Data["password"])
	}
	require.NoError(t, u.Takaro.RestoreSnapshot("an hour ago", false))
	var command []string
	for _, name := range names {
		domain := u.AwaitDomain(madeAgain, name, v1alpha1.ConditionReady, "False "+ownership.ReasonVanished)
		framework.AwaitFor(t, madeAgain, "the command that releases "+name, func() error {
			domain = u.get(name)
			command = releaseCommand.FindStringSubmatch(message(domain, v1alpha1.ConditionReady))
			return framework.Unless(command != nil, "the message is %s", message(domain, v1alpha1.ConditionReady))
		})
		assert.Equal(t, former[name], domain.Status.DomainID, "the id is kept")
		assert.Equal(t, passwords[name], string(u.secret(name + "-root").Data["password"]))
	}
	assert.Len(t, u.Takaro.Domains(), 1, "nothing is created while it is held")
	u.Kubectl(t, append([]string{"annotate"}, strings.Fields(command[1])...)...)
	for _, name := range names {
		u.AwaitDomain(framework.Limit, name, v1alpha1.ConditionReady, "True AsSpecified")
		assert.NotEqual(t, former[name], u.requireWhole(name).ID)
		assert.Equal(t, passwords[name], string(u.secret(name + "-root").Data["password."+former[name]]), "the former login is kept")
	}
}

// acceptCommand matches the command in a message that accepts another Takaro.
var acceptCommand = regexp.MustCompile(`kubectl (annotate takaroendpoints\.takaro\.roadstead\.dev \S+ -n \S+ ` +
	`roadstead\.dev/accept-identity=\S+/\S+ --overwrite)`)

// accept runs the command in the condition Ready of a Domain.
func (u *team) accept(name string) {
	u.T.Helper()
	command := acceptCommand.FindStringSubmatch(message(u.get(name), v1alpha1.ConditionReady))
	require.NotNil(u.T, command, message(u.get(name), v1alpha1.ConditionReady))
	u.Kubectl(u.T, strings.Fields(command[1])...)
}

func swappedAndBack(t *testing.T) {
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	first := u.requireWhole("arena")
	password := string(u.secret("arena-root").Data["password"])
	const changed = "False " + v1alpha1.ReasonIdentityChanged

	u.Takaro.SwapDatabase("other", false)
	u.AwaitDomain(framework.Limit, "arena", v1alpha1.ConditionReady, changed)
	u.apply("new", ownLogin)
	u.AwaitDomain(framework.Limit, "new", v1alpha1.ConditionReady, changed)
	assert.Empty(t, u.Takaro.Domains(), "nothing is created in the other database")
	u.Takaro.SwapDatabase("main", false)
	assert.Equal(t, first.ID, u.requireWhole("arena").ID, "without a command")
	u.requireWhole("new")

	u.Takaro.SwapDatabase("other", false)
	u.AwaitDomain(framework.Limit, "arena", v1alpha1.ConditionReady, changed)
	u.accept("arena")
	framework.AwaitFor(t, madeAgain, "a domain in the other database", func() error {
		return framework.Unless(len(u.Takaro.Domains()) == 2 && u.get("arena").Status.DomainID != first.ID, "there is none")
	})
	u.requireWhole("arena")
	u.Takaro.SwapDatabase("main", false)
	u.AwaitDomain(framework.Limit, "arena", v1alpha1.ConditionReady, changed)
	u.accept("arena")
	framework.AwaitFor(t, madeAgain, "the former domain to be owned again", func() error {
		return framework.Unless(u.get("arena").Status.DomainID == first.ID, "the id is %s", u.get("arena").Status.DomainID)
	})
	assert.Equal(t, first.ID, u.requireWhole("arena").ID)
	assert.Equal(t, password, string(u.secret("arena-root").Data["password"]), "the login is the first one again")
}

func truncatedLists(t *testing.T) {
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	u.apply("other", ownLogin)
	first := u.requireWhole("arena")
	u.requireWhole("other")
	for _, total := range []takaro.ShownTotal{takaro.TotalTrue, takaro.TotalLie} {
		end := u.Fault(takaro.Fault{Kind: takaro.FaultTruncate, Method: "POST", Path: "/domain/search", Rows: 0, Total: total})
		u.staysFor(lostAfter, "arena", first.ID)
		end()
	}
	u.requireWhole("arena")
	assert.Len(t, u.Takaro.Domains(), 2)
}

// staysFor requires that the Domain keeps its domain for a while, regardless of its conditions.
func (u *team) staysFor(limit time.Duration, name, id string) {
	u.T.Helper()
	timer, ticker := time.NewTimer(limit), time.NewTicker(time.Second)
	defer timer.Stop()
	defer ticker.Stop()
	for {
		require.Equal(u.T, id, u.get(name).Status.DomainID)
		_, there := u.Takaro.Domain(id)
		require.True(u.T, there, "domain %s of %s was deleted", id, name)
		select {
		case <-timer.C:
			return
		case <-ticker.C:
		}
	}
}

func strangerTakesReference(t *testing.T) {
	u := newTeam(t, takaro.Options{})
	end := u.Fault(takaro.Fault{Kind: takaro.FaultTooMany, Method: "POST", Path: "/domain"})
	u.apply("arena", ownLogin, "externalReferenceId: arena-of-the-team")
	u.await("arena", v1alpha1.ConditionReady, "False "+v1alpha1.ReasonRateLimited)
	stranger, err := u.Takaro.PlantStranger(takaro.Stranger{Reference: "arena-of-the-team"})
	require.NoError(t, err)
	end()
	domain := u.await("arena", v1alpha1.ConditionReady, "False "+v1alpha1.ReasonExternalReferenceTaken)
	assert.Contains(t, message(domain, v1alpha1.ConditionReady), "adopt")
	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "arena", "--timeout=60s")
	require.Equal(t, []takaro.Domain{stranger}, u.Takaro.Domains(), "the stranger's domain is as it was")
}

func statusInAnotherNamespace(t *testing.T) {
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	first := u.requireWhole("arena")
	copied := u.get("arena").DeepCopy()
	v := env.Team(t, u.Takaro)
	copied.ObjectMeta = metav1.ObjectMeta{Name: "arena", Namespace: v.Namespace}
	created, err := framework.ClientFor(t, env.Cluster.AdminConfig()).TakaroV1alpha1().Domains(copied.Namespace).Create(t.Context(),
		copied, metav1.CreateOptions{})
	require.NoError(t, err)
	status, err := json.Marshal(map[string]any{"status": copied.Status})
	require.NoError(t, err)
	_, _, err = env.Cluster.Kubectl(t.Context(), "patch", "domains.takaro.roadstead.dev", "arena", "-n", copied.Namespace,
		"--subresource=status", "--type=merge", "-p", string(status))
	require.NoError(t, err)
	framework.Await(t, "a domain of its own", func() error {
		return framework.Unless(len(u.Takaro.Domains()) == 2, "there are %d domains", len(u.Takaro.Domains()))
	})
	require.NotEmpty(t, created.UID)
	v.Kubectl(t, "wait", "--for=condition=Ready", "domains.takaro.roadstead.dev/arena", "--timeout=60s")
	v.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "arena", "--timeout=60s")
	assert.Equal(t, first.ID, u.requireWhole("arena").ID, "the original is as it was")
	assert.Len(t, u.Takaro.Domains(), 1, "only the copy's own domain was deleted")
}

func emptyForAMoment(t *testing.T) {
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	first := u.requireWhole("arena")
	u.Kubectl(t, "delete", "secret", "arena-root")
	u.Takaro.SaveSnapshot("all")
	end := u.Fault(takaro.Fault{Kind: takaro.FaultErrorBefore, Method: "POST", Path: "/domain"})
	u.Takaro.EmptyDatabase(true)
	u.patch("arena", `{"name":"renamed"}`)
	u.await("arena", v1alpha1.ConditionReady, "False "+ownership.ReasonVanished)
	require.NoError(t, u.Takaro.RestoreSnapshot("all", true))
	end()
	u.awaitReady("arena")
	u.staysFor(2*comparePeriod, "arena", first.ID)
	renamed, _ := u.Takaro.Domain(first.ID)
	assert.Equal(t, "renamed", renamed.Name)
}
