// SPDX-License-Identifier: Apache-2.0

//go:build integration

package environments

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// belongings returns all names that identify an environment outside of its namespace.
func (e *environment) belongings() map[string]string {
	e.t.Helper()
	domain := e.inTakaro()
	require.Equal(e.t, []string{"busy", "busy-1", "quiet"}, names(domain.GameServers))
	all := map[string]string{domain.ID: "domain", domain.ExternalReference: "reference", domain.RegistrationToken: "registration token"}
	for _, server := range domain.GameServers {
		all[server.ID], all[server.IdentityToken] = "game server", "identity"
		mark, _, _ := strings.Cut(server.IdentityToken, "-")
		all["roadstead-"+mark] = "Redis login"
		require.Contains(e.t, logins(e.t), "roadstead-"+mark)
	}
	for _, user := range domain.Users {
		all[user.ID] = "user"
	}
	for _, name := range []string{"arena-root", "arena-registration-token", "alice-takaro-user", "bob-takaro-user"} {
		require.Equal(e.t, domain.ID, e.secret(name)["domainId"], "Secret %s speaks of its own domain", name)
	}
	require.Equal(e.t, domain.RegistrationToken, e.secret("arena-registration-token")["token"])
	root := e.secret("arena-root")
	require.True(e.t, e.takaro.PasswordIs(root["username"], root["password"]))
	return all
}

func names(servers []takaro.GameServer) []string {
	var found []string
	for _, server := range servers {
		found = append(found, server.Name)
	}
	return found
}

// wholly returns the objects of an environment that must not change when another environment is
// deleted.
func (e *environment) wholly() []string {
	e.t.Helper()
	out := env.Kubectl(e.t, "", "get", allKinds+",statefulsets,secrets,pods", "-n", e.namespace, "-o",
		`jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.uid} {.metadata.generation}{"\n"}{end}`)
	return strings.Split(strings.TrimSpace(out), "\n")
}

// sameManifestInTwoNamespaces verifies that two environments share nothing, and that the deletion
// of one does not affect the other.
func sameManifestInTwoNamespaces(t *testing.T) {
	server := newTakaro(t, takaro.Options{})
	first, second := newEnvironment(t, server), newEnvironment(t, server)
	both := []*environment{first, second}
	second.manifest = strings.ReplaceAll(second.manifest, "@"+second.namespace+".example", "@"+first.namespace+".example")
	begin := time.Now()
	var applied errgroup.Group
	for _, e := range both {
		applied.Go(e.tryApply)
	}
	require.NoError(t, applied.Wait())
	for _, e := range both {
		e.awaitAllButLogins()
	}
	t.Logf("both are Ready after %d ms", time.Since(begin).Milliseconds())
	require.Len(t, server.Domains(), 2)
	mine, theirs := first.belongings(), second.belongings()
	for name, what := range mine {
		assert.NotContains(t, theirs, name, "a %s of both", what)
	}

	// An e-mail address is a single identity. The first environment has its password, and the other
	// reports how to resolve the conflict.
	for _, name := range []string{"alice", "bob"} {
		var holders []string
		for _, e := range both {
			conditions, login := e.user(name).Status.Conditions, e.secret(name+"-takaro-user")
			valid, ready := condition(conditions, v1alpha1.ConditionPasswordValid), condition(conditions, v1alpha1.ConditionReady)
			assert.Equal(t, valid.Status, ready.Status, "who waits for Ready gets a login that works")
			if valid.Status == metav1.ConditionTrue {
				holders = append(holders, e.namespace)
				assert.True(t, server.PasswordIs(login["email"], login["password"]))
				continue
			}
			assert.Equal(t, v1alpha1.ReasonPasswordUnknown, valid.Reason)
			assert.Contains(t, valid.Message, "Give that password in spec.passwordSecretRef")
			assert.Contains(t, valid.Message, "use another address")
			assert.NotContains(t, login, "password")
			assert.Equal(t, name+"@"+first.namespace+".example", login["email"])
		}
		assert.Len(t, holders, 1, name)
	}

	before, saved := second.wholly(), second.saved()
	marks := slices.Concat(first.marks(), second.marks())
	first.deleteNamespace()
	first.awaitNoNamespace()
	require.Len(t, server.Domains(), 1)
	assert.Equal(t, before, second.wholly())
	assert.Equal(t, theirs, second.belongings())
	assert.Equal(t, saved, second.saved())
	requireNothingInRedis(t, marks[:2])
	env.Kubectl(second.t, "", "scale", "mockserver/quiet", "-n", second.namespace, "--replicas=2")
	framework.Await(t, "it still works", func() error {
		if got := names(second.inTakaro().GameServers); !slices.Equal(got, []string{"busy", "busy-1", "quiet", "quiet-1"}) {
			return fmt.Errorf("%v", got)
		}
		return nil
	})
	second.awaitAllButLogins()
	second.deleteNamespace()
	second.awaitNoNamespace()
	requireNothingLeft(t, server, marks)
}

// saved returns the keys of the saved state of the simulations of an environment once all have
// started.
func (e *environment) saved() (found []string) {
	e.t.Helper()
	servers := e.inTakaro().GameServers
	framework.Await(e.t, "the simulations run", func() error {
		found = nil
		for _, server := range servers {
			found = append(found, keys(e.t, "gameserver:"+server.IdentityToken+":simulation:*")...)
		}
		if len(found) != 2*len(servers) {
			return fmt.Errorf("%v", found)
		}
		return nil
	})
	return found
}

// namespacesGoWhateverGoesFirst verifies that the namespace is deleted and nothing is left,
// regardless of the order of the deletions.
func namespacesGoWhateverGoesFirst(t *testing.T) {
	server := newTakaro(t, takaro.Options{})
	all := map[string]*environment{}
	for _, goesFirst := range []string{"secret/takaro-admin", "domain/arena", "mockserver/busy",
		"users.takaro.roadstead.dev/alice", "pod/quiet-0", ""} {
		all[goesFirst] = newEnvironment(t, server)
		all[goesFirst].apply()
	}
	var marks []string
	for _, e := range all {
		e.awaitReady()
		marks = append(marks, e.marks()...)
	}
	require.Len(t, server.Domains(), len(all))
	begin := time.Now()
	for goesFirst, e := range all {
		if goesFirst != "" {
			env.Kubectl(e.t, "", "delete", goesFirst, "-n", e.namespace, "--wait=false")
		}
		e.deleteNamespace()
	}
	for e := range maps.Values(all) {
		e.awaitNoNamespace()
	}
	t.Logf("%d namespaces are gone after %d ms", len(all), time.Since(begin).Milliseconds())
	requireNothingLeft(t, server, marks)
}
