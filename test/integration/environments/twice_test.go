// SPDX-License-Identifier: Apache-2.0

//go:build integration

package environments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// passwords returns the logins of the users of the environment by e-mail address. It verifies each
// of them.
func (e *environment) passwords() map[string]string {
	e.t.Helper()
	found := map[string]string{}
	for _, name := range []string{"alice", "bob"} {
		login := e.secret(name + "-takaro-user")
		require.NotEmpty(e.t, login["password"])
		require.True(e.t, e.takaro.PasswordIs(login["username"], login["password"]), "%s can log in", name)
		require.Equal(e.t, v1alpha1.ReasonPasswordAccepted, condition(e.user(name).Status.Conditions, v1alpha1.ConditionPasswordValid).Reason)
		found[login["email"]] = login["password"]
	}
	return found
}

// sameManifestTwiceInARow applies the manifest twice, as a nightly CI job does. Takaro keeps
// identities and their passwords.
func sameManifestTwiceInARow(t *testing.T) {
	server := newTakaro(t, takaro.Options{})
	e := newEnvironment(t, server)
	e.apply()
	first := e.awaitReady()
	passwords, marks := e.passwords(), e.marks()

	begin := time.Now()
	env.Kubectl(e.t, e.manifest, "delete", "-f", "-", "--ignore-not-found", "--timeout=60s")
	t.Logf("kubectl delete -f: gone after %d ms", time.Since(begin).Milliseconds())
	requireNothingLeft(t, server, marks)

	e.apply()
	second := e.awaitReady()
	marks = append(marks, e.marks()...)
	assert.NotEqual(t, first.Status.DomainID, second.Status.DomainID)
	assert.Equal(t, passwords, e.passwords(), "the same e-mails in the same namespace")

	begin = time.Now()
	env.Kubectl(e.t, "", "delete", "namespace", e.namespace, "--timeout=60s")
	t.Logf("kubectl delete namespace: gone after %d ms", time.Since(begin).Milliseconds())
	requireNothingLeft(t, server, marks)
}
