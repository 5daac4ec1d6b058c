// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

func TestDeletionPolicies(t *testing.T) {
	t.Parallel()
	u := newTeam(t, usual)
	for policy, want := range map[string]struct{ event, state string }{
		"Delete": {"DomainDeleted", ""}, "Disable": {"DomainDisabled", "DISABLED"}, "Retain": {"LeftInTakaro", "ACTIVE"},
	} {
		name := strings.ToLower(policy)
		u.apply(name, ownLogin, "deletionPolicy: "+policy)
		made := u.requireWhole(name)
		begin := time.Now()
		u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", name, "--timeout=60s")
		t.Logf("deletionPolicy %s: gone after %d ms", policy, time.Since(begin).Milliseconds())
		after, _ := u.Takaro.Domain(made.ID)
		assert.Equal(t, want.state, after.State, policy)
		if want.state != "" {
			assert.Regexp(t, "^retained:", after.ExternalReference, "it can be adopted")
		}
		assert.Contains(t, u.awaitEvent(name, want.event), made.ID)
	}
	framework.Await(t, "the credentials are let go", func() error {
		return framework.Unless(len(u.secret(framework.AdminSecret).Finalizers) == 0, "%v", u.secret(framework.AdminSecret).Finalizers)
	})
}

// letGoCommand returns the command in the message of the condition.
func letGoCommand(text string) string {
	_, command, _ := strings.Cut(text, ": kubectl ")
	return "kubectl " + command
}

func TestDeletionWhileTakaroIsDown(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("waits", ownLogin)
	u.apply("let-go", ownLogin)
	waits, letGo := u.requireWhole("waits"), u.requireWhole("let-go")
	end := u.Fault(takaro.Fault{Kind: takaro.FaultDown})
	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "waits", "let-go", "--wait=false")
	domain := u.await("let-go", v1alpha1.ConditionReady, "False DeletionBlocked")
	assert.Equal(t, v1alpha1.DomainDeleting, domain.Status.Phase)
	u.await("waits", v1alpha1.ConditionReady, "False DeletionBlocked")

	// Run the command of the condition in a shell.
	command := exec.CommandContext(t.Context(), "sh", "-c", letGoCommand(message(domain, v1alpha1.ConditionReady)))
	command.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(env.Cluster.Dir(), u.Account+".kubeconfig"), "HOME="+t.TempDir(),
		"PATH="+filepath.Dir(env.Cluster.KubectlPath())+":"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s: %s", command.Args, out)
	u.awaitGone("let-go")
	assert.Contains(t, u.awaitEvent("let-go", "LeftInTakaro"), letGo.ID)

	end()
	begin := time.Now()
	u.awaitGone("waits")
	t.Logf("deleted %d ms after Takaro was up again", time.Since(begin).Milliseconds())
	_, left := u.Takaro.Domain(waits.ID)
	assert.False(t, left)
	require.True(t, u.Takaro.RemoveDomain(letGo.ID))
}

func TestNamespacesGoInAnyOrder(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	u.requireWhole("arena")
	second := newTeam(t, takaro.Options{Latency: 500 * time.Millisecond})
	second.apply("arena", ownLogin)
	second.requireWhole("arena")
	unborn := newTeam(t, takaro.Options{})
	unborn.apply("arena", "credentialsSecretRef: {name: never-there}")
	unborn.await("arena", v1alpha1.ConditionReady, "False SecretNotFound")

	// Delete the Secret first: its finalizer keeps it for the Domain.
	second.Kubectl(t, "delete", "secret", framework.AdminSecret, "--wait=false")
	assert.NotNil(t, second.secret(framework.AdminSecret).DeletionTimestamp)
	begin := time.Now()
	for _, gone := range []*team{u, second, unborn} {
		require.NoError(t, env.Admin.CoreV1().Namespaces().Delete(t.Context(), gone.Namespace, metav1.DeleteOptions{}))
	}
	for _, gone := range []*team{u, second, unborn} {
		_, _, err := env.Cluster.Kubectl(t.Context(), "wait", "--for=delete", "namespace/"+gone.Namespace, "--timeout=90s")
		require.NoError(t, err)
		assert.Empty(t, gone.Takaro.Domains())
	}
	t.Logf("three namespaces are gone after %d ms", time.Since(begin).Milliseconds())
}
