// SPDX-License-Identifier: Apache-2.0

//go:build integration

package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

func TestTheExampleEnvironment(t *testing.T) {
	e := newEnvironment(t)
	e.apply()
	waited := e.roadstead("wait", "--timeout", framework.Limit.String())
	t.Logf("wait:\n%s", waited.out)
	require.Zero(t, waited.code, "%s%s", waited.out, waited.problems)
	for _, object := range []string{"Domain/arena", "MockServer/busy", "MockServer/quiet", "User/alice", "User/bob"} {
		assert.Contains(t, waited.out, "[ok] "+object+" AsSpecified")
	}

	t.Run("status of what is ready", func(t *testing.T) {
		got := e.roadstead("status")
		require.Zero(t, got.code, "%s%s", got.out, got.problems)
		assert.Equal(t, fmt.Sprintf("No problems found: 6 objects were checked in namespace %s.\n", e.namespace), got.out)
		got = e.roadstead("status", "-o", "json")
		var report map[string]any
		require.NoError(t, json.Unmarshal([]byte(got.out), &report))
		assert.Equal(t, true, report["ready"])
		got = e.roadstead("status", "users/nobody")
		assert.Equal(t, 2, got.code)
		assert.Contains(t, got.problems, fmt.Sprintf("there is no User %q in namespace %q", "nobody", e.namespace))
	})
	t.Run("tree", func(t *testing.T) {
		got := e.roadstead("tree", "domain", "arena")
		t.Logf("tree:\n%s", got.out)
		require.Zero(t, got.code, "%s%s", got.out, got.problems)
		for _, line := range []string{
			"Domain/arena", "├─MockServer/busy", "│ ├─Secret/busy-mock-server", "│ └─StatefulSet/busy", "│   ├─Pod/busy-0", "Secret/arena-root",
			"Secret/arena-registration-token", "User/alice", "Secret/alice-takaro-user",
		} {
			assert.Contains(t, got.out, line)
		}
		got = e.roadstead("tree", "mockserver/busy")
		assert.Contains(t, got.out, "Domain/arena (spec.domainRef)")
		assert.Contains(t, got.out, "StatefulSet/busy")
		assert.NotContains(t, got.out, "alice")
	})
	t.Run("a viewer sees no Secrets and is told so", func(t *testing.T) {
		viewer := e.person("view")
		got := roadstead(t, viewer, "status")
		require.Zero(t, got.code, "%s%s", got.out, got.problems)
		assert.Contains(t, got.problems, "missing Secrets were not checked")
		got = roadstead(t, viewer, "tree", "user", "alice")
		require.Zero(t, got.code, "%s%s", got.out, got.problems)
		assert.NotContains(t, got.out, "Secret/")
		assert.Contains(t, got.problems, "not checked: you may not list them")
	})
	t.Run("all namespaces need rights in all", func(t *testing.T) {
		got := e.roadstead("status", "-A")
		assert.Equal(t, 2, got.code)
		assert.Contains(t, got.problems, "list domains.takaro.roadstead.dev")
		assert.Contains(t, got.problems, "an administrator of the cluster can")
		admin := roadstead(t, env.Cluster.Kubeconfig(), "status", "-A", "domain/arena")
		assert.Contains(t, []int{0, 1}, admin.code, admin.problems) // other tests break their environments
	})
	t.Run("completion", func(t *testing.T) {
		assert.Contains(t, e.roadstead("__complete", "status", "user/").out, "user/alice\nuser/bob\n")
		assert.Contains(t, e.roadstead("__complete", "tree", "mockserver", "").out, "busy\nquiet\n")
		kinds := strings.Split(e.roadstead("__complete", "tree", "").out, "\n")
		assert.Subset(t, kinds, []string{"domain", "mockserver", "user", "operator"})
		// The completion of kubectl runs the script next to the plugin.
		bin, err := filepath.Abs("../../../bin")
		require.NoError(t, err)
		script, err := filepath.Abs("../../../cmd/kubectl-roadstead")
		require.NoError(t, err)
		kubectl := env.Cluster.KubectlAs(e.kubeconfig).WithEnv("PATH=" + bin + ":" + script + ":" + os.Getenv("PATH"))
		out, _, err := kubectl.Run(t.Context(), "__complete", "roadstead", "status", "user/")
		require.NoError(t, err)
		assert.Contains(t, out, "user/alice\nuser/bob\n")
	})
	t.Run("nothing is there to be decided", func(t *testing.T) {
		got := e.roadstead("approve", "something")
		assert.Equal(t, 2, got.code)
		assert.NotEmpty(t, got.problems)
	})
	t.Run("what is wrong with an object that is ready is a note", func(t *testing.T) {
		require.NoError(t, env.Admin.CoreV1().Secrets(e.namespace).Delete(t.Context(), "arena-root", metav1.DeleteOptions{}))
		framework.Await(t, "the root login is missed", func() error {
			got := e.roadstead("status")
			if got.code != 0 || !strings.Contains(got.problems, "Note: Domain/arena is ready, but RootCredentials is not: RootPasswordLost: ") {
				return errors.New(got.out + got.problems)
			}
			t.Logf("status:\n%s%s", got.out, got.problems)
			return nil
		})
	})
	t.Run("wait for the end", func(t *testing.T) {
		domains := framework.ClientFor(t, env.Cluster.AdminConfig()).TakaroV1alpha1().Domains(e.namespace)
		require.NoError(t, domains.Delete(t.Context(), "arena", metav1.DeleteOptions{}))
		got := e.roadstead("wait", "domain/arena", "user/alice", "--for", "deleted", "--timeout", framework.Limit.String())
		t.Logf("wait --for deleted:\n%s", got.out)
		require.Zero(t, got.code, "%s%s", got.out, got.problems)
		_, err := domains.Get(t.Context(), "arena", metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err), "%v", err)
	})
}

func TestWaitThatDoesNotComeToItsEnd(t *testing.T) {
	e := newEnvironment(t)
	e.replace("adminToken: "+e.takaro.AdminToken(), "adminToken: wrong")
	e.apply()
	got := e.roadstead("wait", "--fail-fast", "--timeout", framework.Limit.String())
	t.Logf("wait --fail-fast:\n%s%s", got.out, got.problems)
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.problems, "a user has to act")
	assert.Contains(t, got.out, "[!!] Domain/arena AdminTokenRefused: ")

	got = e.roadstead("wait", "domain/arena", "user/later", "--timeout", "1s")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.problems, "waited for 1s: 2 of 2 not ready: Domain/arena, User/later")

	stranger := e.person("view")
	got = roadstead(t, stranger, "wait", "-n", "default", "--timeout", framework.Limit.String())
	assert.Equal(t, 2, got.code)
	assert.Contains(t, got.problems, "forbidden")
}
