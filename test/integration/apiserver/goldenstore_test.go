// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// identityOnly makes the server read and write unencrypted values, because the golden files are
// unencrypted.
const identityOnly = `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: ["*.*"]
    providers: [{identity: {}}]
`

// TestWhatEarlierVersionsStoredIsServed writes the golden files of each version into a store and
// lists them with kubectl.
func TestWhatEarlierVersionsStoredIsServed(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("../../../testdata/store/v*")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) { requireServed(t, folder) })
	}
}

func requireServed(t *testing.T, folder string) {
	config := framework.File(t, "encryption.yaml", identityOnly, 0o600)
	e := framework.StartFor(t, framework.WithMinimalHost(), framework.WithInstall(func(o *install.Options) {
		o.SharedStore, o.APIServerArgs = true, []string{"--encryption-provider-config=" + config}
	}))
	const kinds = "domains,mockservers,takaroendpoints,users.takaro.roadstead.dev,operators,operatorversions,crdschemas," +
		"crdsnapshots,approvals.release.roadstead.dev"
	var want []string
	for _, key := range putGolden(t, e.Cluster.EtcdURL(), folder) {
		group, rest, _ := strings.Cut(key, "/")
		if group == "claims" {
			continue
		}
		resource, rest, _ := strings.Cut(rest, "/")
		namespace, name, namespaced := strings.Cut(rest, "/")
		if !namespaced {
			namespace, name = "", rest
		}
		want = append(want, namespace+" "+strings.TrimSuffix(resource, "s")+"."+group+"/v1alpha1/"+name)
	}
	framework.Await(t, "the golden objects", func() error {
		out, _, err := e.Cluster.Kubectl(t.Context(), "get", kinds, "-A", "-o",
			`go-template={{range .items}}{{with .metadata.namespace}}{{.}}{{end}} {{.kind}}.{{.apiVersion}}/{{.metadata.name}}{{"\n"}}{{end}}`)
		if err != nil {
			return err
		}
		if got := strings.Split(strings.TrimSuffix(strings.ToLower(out), "\n"), "\n"); !sets.New(want...).Equal(sets.New(got...)) {
			return fmt.Errorf("there are %q, not %q", got, want)
		}
		return nil
	})
	require.NotContains(t, e.Kubectl(t, "", "get", kinds, "-A", "-o", "yaml"), "password:", "what is write-only stays so")

	// The claim on the reference of the golden Domain is still held.
	domains := framework.ClientFor(t, e.Cluster.AdminConfig()).TakaroV1alpha1().Domains("default")
	_, err := domains.Create(t.Context(), referring("second", "https://api.takaro.example", "arena-of-team-blue"), metav1.CreateOptions{})
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	require.ErrorContains(t, err, "demo/arena")
}

// putGolden writes the files of a version to the keys derived from their paths and returns the
// keys.
func putGolden(t *testing.T, url, folder string) (keys []string) {
	t.Helper()
	etcd, err := clientv3.New(clientv3.Config{Endpoints: []string{url}})
	require.NoError(t, err)
	defer func() { require.NoError(t, etcd.Close()) }()
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".yaml" {
			return err
		}
		value, err := os.ReadFile(path)
		require.NoError(t, err)
		key := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(folder)+"/"), filepath.Ext(path))
		keys = append(keys, key)
		_, err = etcd.Put(t.Context(), "/registry/roadstead.dev/"+key, string(value))
		return err
	}))
	return keys
}
