// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// TestStoredBytesAndRestart runs a second installation on an etcd that the test can read.
func TestStoredBytesAndRestart(t *testing.T) {
	t.Parallel()
	e := framework.StartFor(t, framework.WithMinimalHost(), framework.WithInstall(func(o *install.Options) { o.SharedStore = true }))
	domains := framework.ClientFor(t, e.Cluster.AdminConfig()).TakaroV1alpha1().Domains("default")
	stored, err := domains.Create(t.Context(), referring("stored", address, "a-reference"), metav1.CreateOptions{})
	require.NoError(t, err)

	etcd, err := clientv3.New(clientv3.Config{Endpoints: []string{e.Cluster.EtcdURL()}})
	require.NoError(t, err)
	defer func() { require.NoError(t, etcd.Close()) }()
	found, err := etcd.Get(t.Context(), "/registry/roadstead.dev/", clientv3.WithPrefix())
	require.NoError(t, err)
	var objects, claims int
	for _, kv := range found.Kvs {
		switch key := string(kv.Key); {
		case key == "/registry/roadstead.dev/takaro.roadstead.dev/domains/default/stored":
			objects++
			require.True(t, strings.HasPrefix(string(kv.Value), "k8s:enc:roadstead:"), "objects are encrypted")
		case strings.HasPrefix(key, "/registry/roadstead.dev/claims/takaro.roadstead.dev/domains/"):
			claims++
		case strings.HasPrefix(key, "/registry/roadstead.dev/__"): // markers of the store
			require.NotEmpty(t, kv.Value)
		default:
			t.Errorf("unknown key %s", key)
		}
	}
	require.Equal(t, 1, objects)
	require.Equal(t, 1, claims)

	server := e.Roadstead.APIServer()
	pid := server.PID()
	require.NoError(t, server.Stop(), "SIGTERM must end it with exit status 0")
	require.NoError(t, server.Start(t.Context()))
	require.NotEqual(t, pid, server.PID())
	require.NoError(t, e.Roadstead.AwaitAvailable(t.Context()))
	framework.Await(t, "the Domain after a restart", func() error {
		again, err := domains.Get(t.Context(), "stored", metav1.GetOptions{})
		if err == nil {
			require.Equal(t, stored, again)
		}
		return err
	})
}

// TestEmbeddedStoreKeepsDataOverStopAndKill uses a separate installation, because it stops the
// server.
func TestEmbeddedStoreKeepsDataOverStopAndKill(t *testing.T) {
	t.Parallel()
	e := framework.StartFor(t, framework.WithMinimalHost())
	domains := framework.ClientFor(t, e.Cluster.AdminConfig()).TakaroV1alpha1().Domains("default")
	var names []string
	for name, end := range map[string]func() error{"stopped": e.Roadstead.APIServer().Stop, "killed": e.Roadstead.APIServer().Kill} {
		framework.Await(t, "a create", func() error {
			_, err := domains.Create(t.Context(), newDomain(name), metav1.CreateOptions{})
			return err
		})
		names = append(names, name)
		require.NoError(t, end())
		require.False(t, e.Roadstead.APIServer().Running())
		require.NoError(t, e.Roadstead.APIServer().Start(t.Context()))
		for _, name := range names {
			framework.Await(t, "Domain "+name, func() error {
				_, err := domains.Get(t.Context(), name, metav1.GetOptions{})
				return err
			})
		}
	}
}
