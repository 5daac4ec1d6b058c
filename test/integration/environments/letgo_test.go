// SPDX-License-Identifier: Apache-2.0

//go:build integration

package environments

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// blocked waits until an object ("user.takaro.roadstead.dev/alice") that is being deleted reports
// why its deletion is blocked, and returns the message.
func (e *environment) blocked(object string) (message string) {
	e.t.Helper()
	framework.Await(e.t, object+" is blocked", func() error {
		out := env.Kubectl(e.t, "", "get", object, "-n", e.namespace, "-o",
			`jsonpath={range .status.conditions[?(@.type=="Ready")]}{.reason} {.message}{end}`)
		reason, text, _ := strings.Cut(out, " ")
		if message = text; reason != "DeletionBlocked" {
			return fmt.Errorf("%s", out)
		}
		return nil
	})
	return message
}

// letGo runs the command of the condition in a shell and waits for the deletion of the object.
func (e *environment) letGo(object string) {
	e.t.Helper()
	message := e.blocked(object)
	_, command, found := strings.Cut(message, ": kubectl patch ")
	require.True(e.t, found, "a command in: %s", message)
	run := exec.CommandContext(e.t.Context(), "sh", "-c", "kubectl patch "+command)
	run.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig(), "HOME="+e.t.TempDir(),
		"PATH="+filepath.Dir(env.Cluster.KubectlPath())+":"+os.Getenv("PATH"))
	out, err := run.CombinedOutput()
	require.NoError(e.t, err, "%s: %s", command, out)
	e.awaitGone(object)
}

func (e *environment) awaitGone(object string) {
	e.t.Helper()
	env.Kubectl(e.t, "", "wait", "--for=delete", object, "-n", e.namespace, "--timeout=60s")
}

// leftInTakaro waits for the event about an object that remains in Takaro, and requires that it
// names the object.
func (e *environment) leftInTakaro(name, says string) {
	e.t.Helper()
	framework.Await(e.t, "event LeftInTakaro of "+name, func() error {
		list, err := env.Admin.EventsV1().Events(e.namespace).List(e.t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range list.Items {
			if event.Regarding.Name == name && event.Reason == "LeftInTakaro" && strings.Contains(event.Note, says) {
				return nil
			}
		}
		return fmt.Errorf("not among %d events", len(list.Items))
	})
}

// TestTokenRevokedAndLetGo revokes the token permanently. An administrator can then release each
// object with the command in its condition.
func TestTokenRevokedAndLetGo(t *testing.T) {
	const domain, alice, bob, quiet = "domain.takaro.roadstead.dev/arena", "user.takaro.roadstead.dev/alice", "user.takaro.roadstead.dev/bob",
		"mockserver.takaro.roadstead.dev/quiet"
	server := newTakaro(t, takaro.Options{})
	one, other := newEnvironment(t, server), newEnvironment(t, server)
	for _, e := range []*environment{one, other} {
		e.apply()
	}
	for _, e := range []*environment{one, other} {
		e.awaitReady()
	}
	aliceID, bobID, oneID, otherID := one.user("alice").Status.UserID, one.user("bob").Status.UserID, one.inTakaro().ID, other.inTakaro().ID
	marks := append(one.marks(), other.marks()...)
	_, err := server.InjectFault(takaro.Fault{Kind: takaro.FaultTokenRevoked})
	require.NoError(t, err)
	// The controller has tokens of the domains in memory, which Takaro accepts for days.
	require.NoError(t, env.Roadstead.Controller().Stop())
	require.NoError(t, env.Roadstead.Controller().Start(t.Context()))

	// A User and a MockServer of a Domain that is not deleted.
	env.Kubectl(one.t, "", "delete", alice, quiet, "-n", one.namespace, "--wait=false")
	one.letGo(alice)
	one.leftInTakaro("alice", aliceID)
	one.letGo(quiet)

	// A retained Domain: each of its Users must be deleted in Takaro and therefore waits. Its
	// MockServers do not wait.
	env.Kubectl(one.t, "", "patch", domain, "-n", one.namespace, "--type=merge", "-p", `{"spec":{"deletionPolicy":"Retain"}}`)
	env.Kubectl(one.t, "", "delete", domain, "-n", one.namespace, "--wait=false")
	one.letGo(bob)
	one.leftInTakaro("bob", bobID)
	one.awaitGone(domain)
	one.leftInTakaro("busy", "2 game servers")
	one.leftInTakaro("arena", oneID)

	// A Domain that is deleted with everything in it: only the Domain waits.
	env.Kubectl(other.t, "", "delete", domain, "-n", other.namespace, "--wait=false")
	for _, object := range []string{alice, bob, quiet} {
		other.awaitGone(object)
	}
	other.letGo(domain)
	other.leftInTakaro("arena", otherID)

	for _, id := range []string{oneID, otherID} {
		left, found := server.Domain(id)
		require.True(t, found)
		assert.Len(t, left.Users, 3, "nobody was removed, nor the root user")
		assert.Len(t, left.GameServers, 3)
	}
	requireNothingInRedis(t, marks)
}

// takaroDownWhileANamespaceIsDeleted verifies that the deletion of the namespace waits, reports the
// reason, and completes when Takaro is available again.
func takaroDownWhileANamespaceIsDeleted(t *testing.T) {
	server := newTakaro(t, takaro.Options{})
	e := newEnvironment(t, server)
	e.apply()
	e.awaitReady()
	marks := e.marks()
	_, err := server.InjectFault(takaro.Fault{Kind: takaro.FaultDown})
	require.NoError(t, err)
	e.deleteNamespace()
	assert.Contains(t, e.blocked("domain.takaro.roadstead.dev/arena"), "kubectl patch domains.takaro.roadstead.dev arena -n "+e.namespace)
	server.ClearFaults()
	e.awaitNoNamespace()
	requireNothingLeft(t, server, marks)
}
