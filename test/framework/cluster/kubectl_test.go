// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
)

// prepared returns a cluster whose files are written and whose programs are not started.
func prepared(t *testing.T, opts Options) *Cluster {
	t.Helper()
	opts.Dir = t.TempDir()
	_, err := opts.prepare()
	require.NoError(t, err)
	c := &Cluster{opts: opts, components: map[string]*Component{}}
	require.NoError(t, c.prepare())
	t.Cleanup(func() { _ = c.Stop() })
	return c
}

func TestKubectl(t *testing.T) {
	c := prepared(t, Options{ToolsDir: fakeTools(t, map[string]string{
		"kubectl": `echo "$KUBECONFIG $HOME $(cat)"; echo careful >&2; [ "$1" = get ]`,
	})})
	out, problems, err := c.Kubectl(t.Context(), "get", "pods")
	require.NoError(t, err)
	require.Equal(t, c.Kubeconfig()+" "+c.Dir()+" \n", out)
	require.Equal(t, "careful\n", problems)

	out, _, err = c.KubectlAs("/other").WithStdin(strings.NewReader("manifest")).Run(t.Context(), "apply", "--token=s3cret")
	require.ErrorContains(t, err, "kubectl apply: exit status 1: careful")
	require.NotContains(t, err.Error(), "s3cret")
	require.Equal(t, "/other "+c.Dir()+" manifest\n", out)

	_, _, err = c.Kubectl(t.Context())
	require.ErrorContains(t, err, "kubectl without arguments")
}

func TestWriteKubeconfig(t *testing.T) {
	c := prepared(t, Options{ToolsDir: fakeTools(t, nil)})
	path := filepath.Join(t.TempDir(), "user")
	require.NoError(t, c.WriteKubeconfig(path, Credentials{Token: "abc", Namespace: "games"}))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	loaded, err := clientcmd.LoadFromFile(path)
	require.NoError(t, err)
	namespace, _, err := clientcmd.NewDefaultClientConfig(*loaded, nil).Namespace()
	require.NoError(t, err)
	require.Equal(t, "games", namespace)
	config, err := clientcmd.BuildConfigFromFlags("", path)
	require.NoError(t, err)
	require.Equal(t, "https://"+c.Addr(), config.Host)
	require.Equal(t, "abc", config.BearerToken)
	require.Error(t, c.WriteKubeconfig("/dev/null/x", Credentials{}))
}

func TestComponentNames(t *testing.T) {
	tools := fakeTools(t, nil)
	names := func(c *Cluster) (all []string) {
		for _, component := range c.Components() {
			all = append(all, component.Name())
			require.False(t, component.Running())
			require.NoError(t, component.Stop(), "a component that never ran")
		}
		return all
	}
	full, minimal := prepared(t, Options{ToolsDir: tools}), prepared(t, Options{ToolsDir: tools, Minimal: true})
	require.Equal(t, []string{Etcd, APIServer, ControllerManager, Scheduler, Kwok}, names(full))
	require.Equal(t, []string{Etcd, APIServer}, names(minimal))
	require.NotEqual(t, full.Addr(), minimal.Addr())
	require.Panics(t, func() { minimal.Component(Kwok) })
}

func TestExtraFlagsComeLast(t *testing.T) {
	c := prepared(t, Options{ToolsDir: fakeTools(t, nil), AuditLevel: "Metadata", KubeAPIServerArgs: []string{"--v=4"}})
	args := c.Component(APIServer).args
	require.Equal(t, "--v=4", args[len(args)-1])
	require.Contains(t, args, "--audit-log-path="+c.AuditLog())
	require.FileExists(t, c.auditPolicy())
}
