// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package encryption tests the content of etcd: every kind is encrypted, the keys are rotated
// without downtime, and the content is readable only with the seeds of the installation or its key
// management service.
package encryption

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// prefix is the etcd prefix of all Roadstead keys.
const prefix = "/registry/roadstead.dev/"

// manifest contains one object of every kind, with words that must not be readable in etcd. %s is a
// name.
const manifest = `
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata: {name: %[1]s, labels: {marker: PLAINTEXT-LABEL}}
spec: {takaroApiUrl: "https://api.takaro.test", externalReferenceId: PLAINTEXT-%[1]s, description: PLAINTEXT-DESCRIPTION}
---
apiVersion: takaro.roadstead.dev/v1alpha1
kind: MockServer
metadata: {name: %[1]s, annotations: {marker: PLAINTEXT-ANNOTATION}}
spec: {domainRef: {name: %[1]s}}
---
apiVersion: takaro.roadstead.dev/v1alpha1
kind: User
metadata: {name: %[1]s}
spec: {domainRef: {name: %[1]s}, email: "PLAINTEXT-%[1]s@example.com", password: PLAINTEXT-PASSWORD}
`

// internal reports whether a key holds no object.
func internal(key string) bool { return strings.HasPrefix(key, prefix+"__") }

// kinds are the resources of the manifest.
var kinds = []string{"domains", "mockservers", "users"}

func TestMain(m *testing.M) { framework.Main(m, new(*framework.Env), framework.WithoutCluster()) }

// installed is a cluster with Roadstead whose etcd the test can read.
type installed struct {
	*framework.Env
	etcd   *clientv3.Client
	client versioned.Interface
}

func setUp(t *testing.T) *installed {
	t.Helper()
	e := framework.StartFor(t, framework.WithMinimalHost(), framework.WithInstall(func(o *install.Options) { o.SharedStore = true }))
	etcd, err := clientv3.New(clientv3.Config{Endpoints: []string{e.Cluster.EtcdURL()}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, etcd.Close()) })
	return &installed{Env: e, etcd: etcd, client: framework.ClientFor(t, e.Cluster.AdminConfig())}
}

func (i *installed) apply(t *testing.T, name string) {
	t.Helper()
	i.Kubectl(t, fmt.Sprintf(manifest, name), "apply", "-f", "-")
}

// raw returns the Roadstead values in etcd by key.
func (i *installed) raw(t *testing.T) map[string]string {
	t.Helper()
	found, err := i.etcd.Get(t.Context(), prefix, clientv3.WithPrefix())
	require.NoError(t, err)
	values := map[string]string{}
	for _, kv := range found.Kvs {
		values[string(kv.Key)] = string(kv.Value)
	}
	return values
}

// requireReadable reads every kind with a get and a list.
func (i *installed) requireReadable(t *testing.T, name string) {
	t.Helper()
	api := i.client.TakaroV1alpha1()
	domain, err := api.Domains("default").Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "PLAINTEXT-DESCRIPTION", domain.Spec.Description)
	_, err = api.MockServers("default").Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	users, err := api.Users("default").List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	require.NoError(t, err)
	require.Len(t, users.Items, 1)
	body := []byte(`{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"UserCredentials"}`)
	raw, err := api.RESTClient().Post().Namespace("default").Resource("users").Name(name).SubResource("credentials").Body(body).
		SetHeader("Content-Type", "application/json").SetHeader("Accept", "application/json").DoRaw(t.Context())
	require.NoError(t, err)
	require.Contains(t, string(raw), "PLAINTEXT-PASSWORD")
}
