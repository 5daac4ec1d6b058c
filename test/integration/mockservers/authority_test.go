// SPDX-License-Identifier: Apache-2.0

//go:build integration

package mockservers

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/test/fakes/privateca"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// bundle writes the given authorities into the Secret "ca".
func (u *team) bundle(authorities ...[]byte) {
	u.T.Helper()
	secret, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "ca"},
		"stringData": map[string]any{"ca.crt": string(bytes.Join(authorities, nil))},
	})
	require.NoError(u.T, err)
	u.apply(string(secret))
}

// awaitDistrust waits until the condition Registered of the MockServer names the log of the pod and
// the field of the object where, and the log contains the certificate error.
func (u *team) awaitDistrust(name, where string) {
	u.T.Helper()
	framework.Await(u.T, "the condition says where to look", func() error {
		server := u.get(name)
		for _, kind := range []string{"Registered", "Ready"} {
			found := meta.FindStatusCondition(server.Status.Conditions, kind)
			if found == nil || found.Status != metav1.ConditionFalse {
				return fmt.Errorf("%s: %+v", kind, found)
			}
		}
		message := meta.FindStatusCondition(server.Status.Conditions, "Registered").Message
		for _, part := range []string{"0 of 1 game servers are registered", "kubectl logs " + name + "-0 -n " + u.Namespace,
			u.Takaro.ConnectorURL(), "spec.caBundleSecretRef of " + where} {
			if !strings.Contains(message, part) {
				return fmt.Errorf("no %q in %q", part, message)
			}
		}
		return nil
	})
	framework.Await(u.T, "the pod's log", func() error {
		log := strings.Join(env.Player.Logs(u.Namespace, name+"-0", "mock-gameserver"), "\n")
		if !strings.Contains(log, "certificate signed by unknown authority") {
			return errors.New(log)
		}
		return nil
	})
	assert.Zero(u.T, u.Takaro.ConnectorCounts().Connections)
	assert.Empty(u.T, u.servers())
}

// TestPrivateAuthority uses certificates of two private authorities for Takaro and its connector.
// The pods trust only the authorities that the controller provides.
func TestPrivateAuthority(t *testing.T) {
	t.Parallel()
	ofAPI, authorityOfAPI, err := privateca.New()
	require.NoError(t, err)
	ofConnector, authorityOfConnector, err := privateca.New()
	require.NoError(t, err)
	u := newTeam(t, func(o *takaro.Options) { o.TLS, o.ConnectorTLS = ofAPI, ofConnector })
	require.Contains(t, u.Takaro.ConnectorURL(), "wss://")
	u.bundle(authorityOfAPI)
	u.apply(u.domain("caBundleSecretRef: {name: ca}") + "---\n" + mock("game"))
	u.awaitDistrust("game", `Domain "arena"`)

	u.bundle(authorityOfAPI, authorityOfConnector)
	u.ready("game")
	assert.Equal(t, []string{"game"}, u.servers())
	secret, err := env.Admin.CoreV1().Secrets(u.Namespace).Get(t.Context(), "game-mock-server", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, string(authorityOfAPI)+string(authorityOfConnector), string(secret.Data["ca.crt"]))

	// A program reads its authorities only at its start, so a change requires a restart of the pod
	// even if it is Ready.
	before, err := env.Admin.CoreV1().Pods(u.Namespace).Get(t.Context(), "game-0", metav1.GetOptions{})
	require.NoError(t, err)
	_, next, err := privateca.New()
	require.NoError(t, err)
	u.bundle(authorityOfAPI, authorityOfConnector, next)
	framework.Await(t, "the pod starts again", func() error {
		pod, err := env.Admin.CoreV1().Pods(u.Namespace).Get(t.Context(), "game-0", metav1.GetOptions{})
		if err == nil && pod.UID == before.UID {
			err = errors.New("it is the same")
		}
		return err
	})
	u.ready("game")
}

// TestPrivateAuthorityOfTheConnectorOnly verifies that pods trust only the authorities of the
// system if the spec names no other.
func TestPrivateAuthorityOfTheConnectorOnly(t *testing.T) {
	t.Parallel()
	serving, authority, err := privateca.New()
	require.NoError(t, err)
	u := newTeam(t, func(o *takaro.Options) { o.ConnectorTLS = serving })
	u.apply(u.domain() + "---\n" + mock("game"))
	u.awaitDistrust("game", `Domain "arena"`)
	u.bundle(authority)
	u.apply(u.domain("caBundleSecretRef: {name: ca}"))
	u.ready("game")
}

// TestPrivateAuthorityOfAForeignDomain is the same test for a MockServer that specifies its Takaro
// itself.
func TestPrivateAuthorityOfAForeignDomain(t *testing.T) {
	t.Parallel()
	serving, authority, err := privateca.New()
	require.NoError(t, err)
	_, other, err := privateca.New()
	require.NoError(t, err)
	u := newTeam(t, func(o *takaro.Options) { o.ConnectorTLS = serving })
	planted, _, err := u.Takaro.PlantDomain(takaro.Seed{ExternalReference: "guest-house", MaxGameServers: 1})
	require.NoError(t, err)
	u.bundle(other)
	u.apply(fmt.Sprintf(`
apiVersion: takaro.roadstead.dev/v1alpha1
kind: MockServer
metadata: {name: guest}
spec:
  externalReferenceId: %s
  takaroApiUrl: %s
  connectorUrl: %s
  credentialsSecretRef: {name: takaro-admin}
  caBundleSecretRef: {name: ca}
`, planted.ExternalReference, u.Takaro.URL(), u.Takaro.ConnectorURL()))
	u.awaitDistrust("guest", "this object")
	u.bundle(authority)
	u.ready("guest")
}
