// SPDX-License-Identifier: Apache-2.0

//go:build integration

package store

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// TestExternalEtcd_UnavailableOrWiped uses a separate installation, on an etcd that the test can
// stop and empty while the server runs.
func TestExternalEtcd_UnavailableOrWiped(t *testing.T) {
	var etcd *framework.Etcd
	e := framework.StartFor(t, framework.WithMinimalHost(), framework.WithBefore(func(ctx context.Context, e *framework.Env) (err error) {
		if etcd, err = framework.StartEtcd(ctx, e.Cluster, filepath.Join(e.Cluster.Dir(), "store"), ""); err == nil {
			e.AtStop(etcd.Stop)
		}
		return err
	}), framework.WithInstall(func(o *install.Options) {
		o.Restart, o.Etcd = true, func(string) string { return etcd.URL() }
	}))
	roadstead := e.Roadstead
	admin := e.Cluster.AdminConfig()
	collection := framework.DomainsPath("default")
	// The aggregation layer may not have noticed yet that the server responds.
	framework.Await(t, "a Domain to be created", func() error {
		_, err := framework.ClientFor(t, admin).TakaroV1alpha1().Domains("default").Create(t.Context(), &v1alpha1.Domain{
			ObjectMeta: metav1.ObjectMeta{Name: "arena"}, Spec: v1alpha1.DomainSpec{TakaroAPIURL: "https://api.takaro.test"},
		}, metav1.CreateOptions{})
		return err
	})
	get := func(path string) int { return framework.Do(t, admin, framework.Request{Path: path}).Code }
	require.Equal(t, http.StatusOK, get(collection+"/arena"))
	require.Equal(t, http.StatusNotFound, get(collection+"/none"))

	require.NoError(t, etcd.Stop())
	// From now on every response is a server error, and never NotFound.
	for _, path := range []string{collection + "/arena", collection + "/none", collection, "/apis/takaro.roadstead.dev/v1alpha1/users"} {
		framework.Await(t, "503 for "+path, func() error { return refused(t, admin, path, "") })
	}
	require.Equal(t, http.StatusOK, get("/apis/takaro.roadstead.dev/v1alpha1"), "discovery")
	pid := roadstead.APIServer().PID()
	require.NoError(t, etcd.Start(t.Context()))
	framework.Await(t, "the object after the return of etcd", func() error {
		if code := get(collection + "/arena"); code != http.StatusOK {
			return fmt.Errorf("%d", code)
		}
		return nil
	})
	require.Equal(t, pid, roadstead.APIServer().PID(), "the server goes on by itself")

	_, err := etcd.Client().Delete(t.Context(), "/registry/roadstead.dev/", clientv3.WithPrefix())
	require.NoError(t, err)
	for _, path := range []string{collection + "/none", collection + "/arena", collection, "/apis/takaro.roadstead.dev/v1alpha1/users"} {
		_ = refused(t, admin, path, "") // no NotFound, from the first response on
		framework.Await(t, "the refusal of "+path, func() error { return refused(t, admin, path, "StoreEmpty") })
	}
	patch := framework.Do(t, admin, framework.Request{Method: http.MethodPatch, Path: collection + "/arena",
		ContentType: "application/merge-patch+json", Body: `{"metadata":{"labels":{"a":"b"}}}`})
	require.Equal(t, http.StatusServiceUnavailable, patch.Code, "%s", patch.Body)
	require.Contains(t, string(patch.Body), "accept-store --id=new")
}

// refused requires that a response is a server error, and returns an error unless it is 503 with
// the given text.
func refused(t *testing.T, admin *rest.Config, path, text string) error {
	t.Helper()
	answer := framework.Do(t, admin, framework.Request{Path: path})
	require.GreaterOrEqual(t, answer.Code, 500, "%s: %s", path, answer.Body)
	if answer.Code != http.StatusServiceUnavailable || !strings.Contains(string(answer.Body), text) {
		return fmt.Errorf("%s: %d: %s", path, answer.Code, answer.Body)
	}
	return nil
}
