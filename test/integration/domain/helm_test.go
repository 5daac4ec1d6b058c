// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// helmWaits verifies that helm install --wait fails while no controller runs, and otherwise returns
// when the Domain is Ready.
func helmWaits(t *testing.T) {
	u := newRestartedTeam(t, takaro.Options{})
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "templates"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Chart.yaml"), []byte("apiVersion: v2\nname: arena\nversion: 1.0.0\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "templates", "domain.yaml"), []byte(u.manifest("arena", ownLogin)), 0o600))

	withoutTheUsual(t)
	out, err := u.Env.Helm(t, "upgrade", "--install", "arena", dir, "--wait", "--timeout", "15s", "-n", u.Namespace)
	require.Error(t, err, out)
	assert.Contains(t, out, "arena", "it says for what it waited")
	require.NoError(t, u.Env.Roadstead.Controller().Start(t.Context()))
	out, err = u.Env.Helm(t, "upgrade", "--install", "arena", dir, "--wait", "--timeout", "90s", "-n", u.Namespace)
	require.NoError(t, err, out)
	found, err := u.Domains().Get(t.Context(), "arena", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, v1alpha1.DomainReady, found.Status.Phase, "Helm did not return before")
}
