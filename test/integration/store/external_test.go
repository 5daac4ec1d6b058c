// SPDX-License-Identifier: Apache-2.0

//go:build integration

package store

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"roadstead.dev/roadstead/hack/cluster"
	"roadstead.dev/roadstead/hack/local"
	"roadstead.dev/roadstead/hack/process"
	"roadstead.dev/roadstead/test/integration/framework"
)

// external is an etcd of its own process.
type external struct {
	t       *testing.T
	url     string
	options process.Options
	process *process.Process
}

func newExternal(t *testing.T) *external {
	t.Helper()
	tools, err := cluster.FindTools()
	require.NoError(t, err)
	dir := t.TempDir()
	free := func() string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { _ = listener.Close() }()
		return "http://" + listener.Addr().String()
	}
	e := &external{t: t, url: free()}
	peer := free()
	e.options = process.Options{Program: filepath.Join(tools, "etcd"), Dir: dir, Log: filepath.Join(dir, "log"), Args: []string{
		"--data-dir=" + filepath.Join(dir, "data"), "--listen-client-urls=" + e.url, "--advertise-client-urls=" + e.url,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=default=" + peer,
	}}
	e.start()
	t.Cleanup(e.stop)
	return e
}

func (e *external) start() {
	e.t.Helper()
	var err error
	e.process, err = process.Start(e.options)
	require.NoError(e.t, err)
}

func (e *external) stop() {
	if e.process.Running() {
		_ = e.process.Stop(10 * time.Second)
	}
}

// TestAnEtcdThatIsAwayOrWipedWhileTheServerRuns has an installation of its own, on an etcd that the test can take away.
func TestAnEtcdThatIsAwayOrWipedWhileTheServerRuns(t *testing.T) {
	etcd := newExternal(t)
	control, err := cluster.Start(t.Context(), cluster.Options{Minimal: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, control.Stop()) })
	roadstead, err := local.Install(t.Context(), local.Options{Cluster: control, WithoutController: true, APIServerArgs: []string{"--etcd-servers=" + etcd.url}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = roadstead.Stop() })
	admin := control.AdminConfig()
	collection := framework.DomainsPath("default")
	get := func(path string) int { return framework.Do(t, admin, framework.Request{Path: path}).Code }
	made := framework.Do(t, admin, framework.Request{Method: http.MethodPost, Path: collection,
		Body: `{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"Domain","metadata":{"name":"arena"},"spec":{"takaroApiUrl":"https://api.takaro.test"}}`})
	require.Equal(t, http.StatusCreated, made.Code, "%s", made.Body)
	require.Equal(t, http.StatusOK, get(collection+"/arena"))
	require.Equal(t, http.StatusNotFound, get(collection+"/none"), "what is truly not there")

	etcd.stop()
	// Every answer from now on is an error of the server, never that something is not there.
	refused := func(path string) error {
		code := get(path)
		require.GreaterOrEqual(t, code, 500, path)
		if code != http.StatusServiceUnavailable {
			return fmt.Errorf("%s: %d", path, code)
		}
		return nil
	}
	for _, path := range []string{collection + "/arena", collection + "/none", collection, "/apis/takaro.roadstead.dev/v1alpha1/users"} {
		framework.Await(t, "503 for "+path, func() error { return refused(path) })
	}
	require.Equal(t, http.StatusOK, get("/apis/takaro.roadstead.dev/v1alpha1"), "discovery")
	etcd.start()
	framework.Await(t, "the return of etcd", func() error {
		if code := get(collection + "/arena"); code != http.StatusOK {
			return fmt.Errorf("%d", code)
		}
		return nil
	})

	client, err := clientv3.New(clientv3.Config{Endpoints: []string{etcd.url}, DialTimeout: 10 * time.Second})
	require.NoError(t, err)
	defer func() { _ = client.Close() }()
	_, err = client.Delete(t.Context(), "/registry/roadstead.dev/", clientv3.WithPrefix())
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, get(collection+"/none"), "at once: absence needs proof")
	require.Equal(t, http.StatusServiceUnavailable, get("/apis/takaro.roadstead.dev/v1alpha1/users"))
	require.Equal(t, http.StatusServiceUnavailable, get(collection+"/arena"))
	patch := framework.Do(t, admin, framework.Request{Method: http.MethodPatch, Path: collection + "/arena", ContentType: "application/merge-patch+json", Body: `{"metadata":{"labels":{"a":"b"}}}`})
	require.Equal(t, http.StatusServiceUnavailable, patch.Code, "%s", patch.Body)
	require.Contains(t, string(patch.Body), "accept-store --id=new")
	content, err := os.ReadFile(roadstead.APIServer().Log())
	require.NoError(t, err)
	require.Contains(t, string(content), "StoreEmpty")
}
