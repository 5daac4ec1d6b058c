// SPDX-License-Identifier: Apache-2.0

//go:build integration

package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// aggregated is an APIService whose Service points to this machine, outside the cluster.
const aggregated = `
apiVersion: v1
kind: Service
metadata: {name: outside, namespace: default}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.outside.test}
spec:
  group: outside.test
  version: v1
  groupPriorityMinimum: 1000
  versionPriority: 10
  caBundle: CABUNDLE
  service: {name: outside, namespace: default, port: PORT}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: outside}
rules: [{apiGroups: [outside.test], resources: [whoami], verbs: [list]}]
`

// TestAggregatorReachesAServerOfTheTest verifies that the aggregator connects to a server outside
// the cluster, verifies its certificate against the name of the Service, and authenticates with its
// own client certificate to pass on the identity of the caller.
func TestAggregatorReachesAServerOfTheTest(t *testing.T) {
	c, _ := up(t, Options{Minimal: true})
	proxies := x509.NewCertPool()
	ca, err := os.ReadFile(c.RequestHeaderCA())
	require.NoError(t, err)
	require.True(t, proxies.AppendCertsFromPEM(ca))
	mine, err := newCA("outside")
	require.NoError(t, err)
	serving, err := mine.server("outside", "outside.default.svc")
	require.NoError(t, err)

	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body := map[string]any{"kind": "APIResourceList", "groupVersion": "outside.test/v1", "resources": []any{}}
		if strings.HasSuffix(r.URL.Path, "/whoami") {
			body = map[string]any{"user": r.Header.Get("X-Remote-User"), "uid": r.Header.Get("X-Remote-Uid"),
				"groups": r.Header.Values("X-Remote-Group")}
		}
		_ = json.NewEncoder(w).Encode(body)
	}))
	server.TLS = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{serving.cert.Raw}, PrivateKey: serving.key}},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    proxies,
	}
	server.StartTLS()
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)

	manifest := strings.NewReplacer("PORT", port, "CABUNDLE", base64.StdEncoding.EncodeToString(mine.certPEM())).Replace(aggregated)
	kubectl(t, c, manifest, "apply", "-f", "-")
	kubectl(t, c, "", "wait", "apiservice/v1.outside.test", "--for=condition=Available", "--timeout=60s")

	cert, key, err := c.ClientCertificate("alice", "keepers")
	require.NoError(t, err)
	alice := c.Dir() + "/alice"
	require.NoError(t, c.WriteKubeconfig(alice, Credentials{CertPEM: cert, KeyPEM: key}))
	kubectl(t, c, "", "create", "clusterrolebinding", "outside", "--clusterrole=outside", "--user=alice")
	out, _, err := c.KubectlAs(alice).Run(t.Context(), "get", "--raw", "/apis/outside.test/v1/whoami")
	require.NoError(t, err)
	require.JSONEq(t, `{"user": "alice", "uid": "", "groups": ["keepers", "system:authenticated"]}`, out)
}
