// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/history"
)

func object(t *testing.T, text string) check.Object {
	t.Helper()
	in := &unstructured.Unstructured{}
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	require.NoError(t, in.UnmarshalJSON(data))
	return Object(in)
}

const domain = `
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata: {name: a, namespace: ns, uid: u1, resourceVersion: "7", generation: 3, annotations: {chaos.roadstead.test/write: "12"}}
spec: {name: ns-a, externalReferenceId: other, adopt: true, deletionPolicy: Retain, credentialsSecretRef: {name: own},
  domainLimits: {maxGameServers: 11}}
status:
  domainId: "1"
  rootCredentialsSecretRef: {name: a-root}
  registrationTokenSecretRef: {name: a-token}
  conditions: [{type: Synced, status: "False"}, {type: Ready, status: "True", reason: AsSpecified, message: so it is,
    observedGeneration: 3}]
`

func TestObject(t *testing.T) {
	require.Equal(t, check.Object{
		Key: history.Key{Kind: "Domain", Namespace: "ns", Name: "a"}, UID: "u1", Version: "7", Mark: 12, Ready: "True",
		Reason: "AsSpecified", Message: "so it is",
		Reference: "other", Adopt: true, Policy: "Retain", LoginSecret: "a-root", TokenSecret: "a-token", Credentials: "own", OutsideID: "1",
		DomainID: "1", Name: "ns-a", MaxGameServers: 11,
	}, object(t, domain))
	mock := object(t, `
apiVersion: takaro.roadstead.dev/v1alpha1
kind: MockServer
metadata: {name: m, namespace: ns, generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z"}
spec: {domainRef: {name: a}, replicas: 2}
status: {gameServers: [{name: m, id: "8"}, {name: m-1, id: "9"}], conditions: [{type: Ready, status: "True", observedGeneration: 1}]}
`)
	require.Equal(t, []string{"8", "9"}, mock.Servers)
	require.Equal(t, 2, mock.Replicas)
	require.Empty(t, mock.Ready, "it is about an older generation")
	require.True(t, mock.Deleting)
	require.False(t, mock.IsReady())
	user := object(t, `
apiVersion: takaro.roadstead.dev/v1alpha1
kind: User
metadata: {name: u, namespace: ns}
spec: {domainRef: {name: a}, email: u@example.com, roles: [Admin]}
status: {userId: "5", credentialsSecretRef: {name: u-login}}
`)
	require.Equal(t, "5", user.OutsideID)
	require.Equal(t, "u-login", user.LoginSecret)
	require.Equal(t, []string{"Admin"}, user.Roles)
	for since, unused := range map[string]bool{"2026-01-01T00:00:00Z": true, "2025-12-31T23:59:59Z": false} {
		deleted := object(t, `
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata: {name: a, namespace: ns, deletionTimestamp: "2026-01-01T00:00:00Z"}
status: {domainId: "1", ownership: {records: [{slot: domain, state: Held, id: "1", since: "`+since+`"}]}}
`)
		require.Equal(t, unused, deleted.Unused, since)
	}
	all := Complete([]check.Object{user, object(t, domain)})
	require.Equal(t, "1", all[0].DomainID, "that of its Domain")
}
