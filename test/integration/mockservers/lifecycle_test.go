// SPDX-License-Identifier: Apache-2.0

//go:build integration

package mockservers

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// TestFromApplyToDelete covers the complete lifecycle of a MockServer.
func TestFromApplyToDelete(t *testing.T) {
	u := newTeam(t)
	begin := time.Now()
	u.apply(u.domain() + "---\n" + mock("game", "replicas: 2"))
	server := u.awaitFor(readyLimit, "game", "Ready", "True AsSpecified")
	t.Logf("Ready after %d ms", time.Since(begin).Milliseconds())
	assert.Equal(t, []string{"game", "game-1"}, u.servers())
	assert.EqualValues(t, 2, server.Status.Reachable)
	assert.Equal(t, "Ready", string(server.Status.Phase))
	assert.Equal(t, []string{"game", "game-1"}, []string{server.Status.GameServers[0].Name, server.Status.GameServers[1].Name})
	for _, kind := range []string{"Deployed", "Registered", "Synced"} {
		u.await("game", kind, "True AsSpecified")
	}
	framework.Await(t, "the Domain's counts", func() error {
		counts, err := u.Domains().Get(t.Context(), domainName, metav1.GetOptions{})
		if err == nil && (counts.Status.GameServers.Registered != 2 || counts.Status.GameServers.Reachable != 2) {
			err = fmt.Errorf("%+v", counts.Status.GameServers)
		}
		return err
	})
	assert.Contains(t, u.Kubectl(t, "get", "mock"), "2/2")
	require.NotEmpty(t, keys(t, "gameserver:*"))

	u.Kubectl(t, "scale", "mockserver/game", "--replicas=3")
	u.awaitServers("game", "game-1", "game-2")
	u.ready("game")
	u.Kubectl(t, "scale", "mockserver/game", "--replicas=1", "--current-replicas=3")
	u.awaitServers("game")
	assert.EqualValues(t, 1, u.ready("game").Status.Replicas)
	u.Kubectl(t, "scale", "mockserver/game", "--replicas=0")
	u.awaitServers()
	u.ready("game")
	u.Kubectl(t, "scale", "mockserver/game", "--replicas=1")
	u.awaitServers("game")
	mark := markOf(server)
	require.NotEmpty(t, keys(t, "gameserver:"+mark+"-0:simulation:state"))
	assert.Contains(t, aclUsers(t), "roadstead-"+mark)

	begin = time.Now()
	u.Kubectl(t, "delete", "mockserver", "game", "--timeout=30s")
	t.Logf("gone after %d ms", time.Since(begin).Milliseconds())
	assert.Empty(t, u.servers())
	assert.Empty(t, keys(t, "gameserver:"+mark+"-*"))
	assert.NotContains(t, aclUsers(t), "roadstead-"+mark)
	framework.Await(t, "nothing is left in the cluster", func() error {
		sets, err := env.Admin.AppsV1().StatefulSets(u.Namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(sets.Items) > 0 {
			return errors.Join(err, errors.New("a StatefulSet"))
		}
		pods, err := env.Admin.CoreV1().Pods(u.Namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(pods.Items) > 0 {
			return errors.Join(err, errors.New("a pod"))
		}
		_, err = env.Admin.CoreV1().Secrets(u.Namespace).Get(t.Context(), "game-mock-server", metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return errors.Join(err, errors.New("a Secret"))
		}
		return nil
	})
}

// TestScaleOwnsTheReplicas verifies the ownership of the replicas between server-side apply and
// kubectl scale.
func TestScaleOwnsTheReplicas(t *testing.T) {
	t.Parallel()
	u := newTeam(t)
	u.apply(u.domain() + "---\n" + mock("game", "replicas: 2"))
	u.ready("game")
	u.Kubectl(t, "scale", "mockserver/game", "--replicas=1")
	problems := u.KubectlFails(t, mock("game", "replicas: 3"), "apply", "--server-side", "-f", "-")
	assert.Contains(t, problems, "conflict")
	assert.Contains(t, problems, ".spec.replicas")
	u.apply(mock("game", "totalPlayers: 4")) // an apply without replicas does not change the number
	assert.EqualValues(t, 1, *u.ready("game").Spec.Replicas)
	u.KubectlIn(t, mock("game", "replicas: 3"), "apply", "--server-side", "--force-conflicts", "-f", "-")
	u.awaitServers("game", "game-1", "game-2")
	assert.Contains(t, u.KubectlFails(t, "", "scale", "mockserver/game", "--replicas=101"), "100")
	assert.Contains(t, u.Kubectl(t, "get", "--raw", "/apis/takaro.roadstead.dev/v1alpha1/namespaces/"+u.Namespace+"/mockservers/game/scale"),
		`"selector":"takaro.roadstead.dev/mock-server=game"`)
}

// TestDroppedConnectionRestartsThePod verifies that the pod is restarted after a dropped
// connection, because the mock server never identifies again on its own.
func TestDroppedConnectionRestartsThePod(t *testing.T) {
	u := newTeam(t)
	u.apply(u.domain() + "---\n" + mock("game"))
	u.ready("game")
	before, err := env.Admin.CoreV1().Pods(u.Namespace).Get(t.Context(), "game-0", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, 1, u.Takaro.DropConnections(u.Takaro.Domains()[0].ID))
	u.await("game", "Ready", "False GameServersUnreachable")
	// An earlier test may have used the restarts of this minute.
	u.awaitFor(2*framework.Limit, "game", "Ready", "True AsSpecified")
	after, err := env.Admin.CoreV1().Pods(u.Namespace).Get(t.Context(), "game-0", metav1.GetOptions{})
	require.NoError(t, err)
	assert.NotEqual(t, before.UID, after.UID)
	framework.Await(t, "an event", func() error {
		out := u.Kubectl(t, "get", "events", "--field-selector=reason=PodRestarted", "-o", "name")
		if out == "" {
			return errors.New("none")
		}
		return nil
	})
	assert.Equal(t, []string{"game"}, u.servers())
}

func TestLimitReached(t *testing.T) {
	t.Parallel()
	u := newTeam(t)
	u.apply(u.domain("domainLimits: {maxGameServers: 1}") + "---\n" + mock("game", "replicas: 2"))
	server := u.await("game", "Registered", "False GameServerLimitReached")
	assert.Equal(t, "Error", string(u.await("game", "Ready", "False GameServerLimitReached").Status.Phase))
	assert.EqualValues(t, 1, server.Status.Reachable)
	u.apply(u.domain("domainLimits: {maxGameServers: 2}"))
	u.ready("game")
}

func TestMaintenance(t *testing.T) {
	t.Parallel()
	u := newTeam(t)
	u.apply(u.domain() + "---\n" + mock("game"))
	u.ready("game")
	u.apply(u.domain("maintenanceMode: true"))
	u.await("game", "Ready", "False DomainInMaintenance")
	u.apply(mock("late"))
	u.await("late", "Ready", "False DomainInMaintenance")
	_, err := env.Admin.AppsV1().StatefulSets(u.Namespace).Get(t.Context(), "late", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "pods are not started in maintenance")
	u.apply(u.domain("maintenanceMode: false"))
	u.ready("game")
	u.ready("late")
}

// TestSavedSimulationIsOverruled verifies that a change of the spec resets the state that the mock
// server saved at its first start. That state takes precedence over the environment variables.
func TestSavedSimulationIsOverruled(t *testing.T) {
	t.Parallel()
	u := newTeam(t)
	u.apply(u.domain() + "---\n" + mock("saved", "simulationFrequencies: {chat: 100}", "totalPlayers: 8"))
	u.ready("saved")
	client := env.Redis.Client()
	defer func() { _ = client.Close() }()
	saved := func(want string, players int64) {
		framework.Await(t, "saved simulation", func() error {
			found := keys(t, "gameserver:"+markOf(u.get("saved"))+"-0:simulation:config")
			if len(found) != 1 {
				return fmt.Errorf("%v", found)
			}
			config, err := client.Get(t.Context(), found[0]).Result()
			if err == nil && !strings.Contains(config, want) {
				err = errors.New(config)
			}
			if err != nil {
				return err
			}
			have, err := client.SCard(t.Context(), strings.TrimSuffix(found[0], "simulation:config")+"players").Result()
			if err == nil && have != players {
				err = fmt.Errorf("%d players", have)
			}
			return err
		})
	}
	saved(`"chatMessage":{"frequency":100,"enabled":true}`, 8)
	u.apply(mock("saved", "simulationFrequencies: {chat: 0}", "totalPlayers: 3"))
	saved(`"chatMessage":{"frequency":0,"enabled":false}`, 3)
	u.ready("saved")
}

// TestDeletingTheDomain verifies that the MockServers of a Domain are deleted with it, without
// requests to Takaro about game servers.
func TestDeletingTheDomain(t *testing.T) {
	t.Parallel()
	u := newTeam(t)
	u.apply(u.domain() + "---\n" + mock("game"))
	u.ready("game")
	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", domainName, "--timeout=40s")
	u.awaitGone("game")
	assert.Empty(t, u.Takaro.Domains())
}

func TestDeletingTheNamespace(t *testing.T) {
	t.Parallel()
	u := newTeam(t)
	u.apply(u.domain() + "---\n" + mock("game", "replicas: 2"))
	mark := markOf(u.ready("game"))
	require.NotEmpty(t, keys(t, "gameserver:"+mark+"-*"))
	require.NoError(t, env.Admin.CoreV1().Namespaces().Delete(t.Context(), u.Namespace, metav1.DeleteOptions{}))
	framework.Await(t, "the namespace is gone", func() error {
		left, err := env.Admin.CoreV1().Namespaces().Get(t.Context(), u.Namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, fmt.Errorf("%+v", left.Status))
	})
	assert.Empty(t, u.Takaro.Domains())
	assert.Empty(t, keys(t, "gameserver:"+mark+"-*"))
}

// TestRedisThatForgetsItsUsers covers a Redis without an ACL file, which has no users after a
// restart.
func TestRedisThatForgetsItsUsers(t *testing.T) {
	u := newTeam(t)
	u.apply(u.domain() + "---\n" + mock("game"))
	u.ready("game")
	require.NoError(t, env.Redis.Restart(t.Context()))
	framework.Await(t, "the user is there again", func() error {
		for _, user := range aclUsers(t) {
			if strings.HasPrefix(user, "roadstead-") {
				return nil
			}
		}
		return errors.New("not yet")
	})
	u.ready("game")
}

// TestForeignDomain covers a Takaro domain that no Domain represents, with its own credentials and
// a separate Redis.
func TestForeignDomain(t *testing.T) {
	t.Parallel()
	u := newTeam(t)
	planted, _, err := u.Takaro.PlantDomain(takaro.Seed{ExternalReference: "guest-house", MaxGameServers: 2})
	require.NoError(t, err)
	u.apply(fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: redis}\nstringData: {password: %q}\n", env.Redis.Password))
	u.apply(fmt.Sprintf(`
apiVersion: takaro.roadstead.dev/v1alpha1
kind: MockServer
metadata: {name: guest}
spec:
  externalReferenceId: %s
  takaroApiUrl: %s
  connectorUrl: %s
  credentialsSecretRef: {name: takaro-admin}
  redis: {host: %s, port: %d, username: default, passwordSecretRef: {name: redis}}
`, planted.ExternalReference, u.Takaro.URL(), u.Takaro.ConnectorURL(), env.Redis.Host, env.Redis.Port))
	mark := markOf(u.ready("guest"))
	assert.Equal(t, []string{"guest"}, u.servers())
	secret, err := env.Admin.CoreV1().Secrets(u.Namespace).Get(t.Context(), "redis", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Contains(t, secret.Finalizers, "roadstead.dev/in-use")
	u.Kubectl(t, "delete", "mockserver", "guest", "--timeout=30s")
	assert.Empty(t, u.servers())
	assert.Empty(t, keys(t, "gameserver:"+mark+"-*"))
	framework.Await(t, "the Secret is let go", func() error {
		secret, err := env.Admin.CoreV1().Secrets(u.Namespace).Get(t.Context(), "redis", metav1.GetOptions{})
		if err == nil && len(secret.Finalizers) > 0 {
			err = fmt.Errorf("%v", secret.Finalizers)
		}
		return err
	})

	problems := u.KubectlFails(t, fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: MockServer\nmetadata: {name: "+
		"borrower}\nspec: {externalReferenceId: someone, takaroApiUrl: %q}\n", u.Takaro.URL()), "apply", "-f", "-")
	assert.Contains(t, problems, "adopt")
}

// TestNameTaken verifies that names are unique within a domain of Takaro.
func TestNameTaken(t *testing.T) {
	t.Parallel()
	u := newTeam(t)
	u.apply(u.domain() + "---\n" + mock("first", "name: same"))
	u.ready("first")
	u.apply(mock("second", "name: same"))
	server := u.ready("second")
	require.Len(t, server.Status.GameServers, 1)
	assert.Regexp(t, `^[0-9a-f]{20}-0$`, server.Status.GameServers[0].Name)
	var events corev1.EventList
	framework.Await(t, "one event", func() error {
		list, err := env.Admin.CoreV1().Events(u.Namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=GameServerNameTaken"})
		if err == nil && len(list.Items) == 0 {
			err = errors.New("none")
		}
		if err == nil {
			events = *list
		}
		return err
	})
	assert.Len(t, events.Items, 1)
}
