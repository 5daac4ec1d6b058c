// SPDX-License-Identifier: Apache-2.0

//go:build integration

package cluster

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// limit is the timeout of each condition in these tests. The conditions take a few seconds at most.
const limit = time.Minute

// up starts a cluster and stops it at the end of the test.
func up(t *testing.T, opts Options) (*Cluster, kubernetes.Interface) {
	t.Helper()
	opts.Logf = t.Logf
	c, err := Start(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) })
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	require.NoError(t, err)
	return c, client
}

// kubectl runs kubectl as the administrator and logs its duration.
func kubectl(t *testing.T, c *Cluster, stdin string, args ...string) string {
	t.Helper()
	begin := time.Now()
	out, _, err := c.KubectlAs(c.Kubeconfig()).WithStdin(strings.NewReader(stdin)).Run(t.Context(), args...)
	require.NoError(t, err)
	t.Logf("kubectl %s: %d ms", strings.Join(args, " "), time.Since(begin).Milliseconds())
	return out
}

func TestTwoClustersSideBySide(t *testing.T) {
	full, _ := up(t, Options{})
	minimal, minimalClient := up(t, Options{Minimal: true})

	t.Run("versions are stamped", func(t *testing.T) {
		require.Equal(t, 2, strings.Count(kubectl(t, full, "", "version"), "Version: v1.37.2\n"))
	})
	t.Run("a deployment becomes available and a job completes", func(t *testing.T) {
		kubectl(t, full, "", "create", "deployment", "web", "--image=example.test/web", "--replicas=2")
		kubectl(t, full, "", "wait", "deployment/web", "--for=condition=Available", "--timeout=60s")
		kubectl(t, full, "", "create", "job", "once", "--image=example.test/once")
		kubectl(t, full, "", "wait", "job/once", "--for=condition=Complete", "--timeout=60s")
	})
	t.Run("dependents are collected", func(t *testing.T) {
		require.NotEmpty(t, kubectl(t, full, "", "get", "pods,rs", "-l", "app=web", "-o", "name"))
		kubectl(t, full, "", "delete", "deployment", "web", "--cascade=background")
		kubectl(t, full, "", "wait", "pods,rs", "-l", "app=web", "--for=delete", "--timeout=60s")
	})
	t.Run("a namespace terminates", func(t *testing.T) {
		kubectl(t, full, "", "create", "namespace", "gone")
		kubectl(t, full, "", "--namespace=gone", "create", "configmap", "inside")
		kubectl(t, full, "", "delete", "namespace", "gone", "--timeout=60s")
	})
	t.Run("kwok's node renews a lease", func(t *testing.T) {
		kubectl(t, full, "", "wait", "lease/"+KwokNode, "--namespace="+corev1.NamespaceNodeLease,
			"--for=jsonpath={.spec.holderIdentity}", "--timeout=60s")
	})
	t.Run("the minimal one only stores", func(t *testing.T) {
		require.NotEqual(t, full.Addr(), minimal.Addr())
		kubectl(t, minimal, "", "create", "deployment", "web", "--image=example.test/web")
		pods, err := minimalClient.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Empty(t, pods.Items)
	})
	t.Run("stop leaves nothing", func(t *testing.T) {
		var pids []int
		for _, component := range full.Components() {
			require.True(t, component.Running(), component.Name())
			pids = append(pids, component.process.PID())
		}
		begin := time.Now()
		require.NoError(t, full.Stop())
		t.Logf("Stop: %d ms", time.Since(begin).Milliseconds())
		for _, pid := range pids {
			require.True(t, ended(pid), "process %d lives", pid)
		}
		require.NoDirExists(t, full.Dir())
		require.NoError(t, full.Stop())
	})
}

func TestServiceAccountsAndUsers(t *testing.T) {
	c, client := up(t, Options{Minimal: true, AuditLevel: "Metadata"})
	_, err := client.CoreV1().ServiceAccounts("default").Create(t.Context(), &corev1.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{Name: "robot"},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	robot, alice := c.Dir()+"/robot", c.Dir()+"/alice"
	require.NoError(t, c.WriteServiceAccountKubeconfig(t.Context(), robot, "default", "robot", time.Hour))
	cert, key, err := c.ClientCertificate("alice", "keepers")
	require.NoError(t, err)
	require.NoError(t, c.WriteKubeconfig(alice, Credentials{CertPEM: cert, KeyPEM: key}))
	for kubeconfig, want := range map[string]string{robot: "system:serviceaccount:default:robot", alice: "alice"} {
		who, _, err := c.KubectlAs(kubeconfig).Run(t.Context(), "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
		require.NoError(t, err)
		require.Equal(t, want, who)
		_, _, err = c.KubectlAs(kubeconfig).Run(t.Context(), "get", "pods")
		require.ErrorContains(t, err, "is forbidden")
	}
	_, err = c.ServiceAccountToken(t.Context(), "default", "nobody", time.Hour)
	require.ErrorContains(t, err, "ServiceAccount default/nobody")
	audit, err := os.ReadFile(c.AuditLog())
	require.NoError(t, err)
	require.Contains(t, string(audit), `"username":"alice"`)
}

func TestComponentsComeBackAfterFaults(t *testing.T) {
	c, client := up(t, Options{})
	_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "kept"},
	}, metav1.CreateOptions{})
	require.NoError(t, err)

	address := c.Addr()
	require.NoError(t, c.Component(APIServer).Kill())
	require.False(t, c.Component(APIServer).Running())
	_, err = client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.Error(t, err)
	require.NoError(t, c.Component(Etcd).Kill())
	require.NoError(t, c.Component(Etcd).Start(t.Context()))
	require.NoError(t, c.Component(APIServer).Start(t.Context()))
	require.NoError(t, c.Component(APIServer).Start(t.Context()), "it runs already")
	require.Equal(t, address, c.Addr())
	_, err = client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.NoError(t, err)

	for _, name := range []string{ControllerManager, Scheduler, Kwok} {
		require.NoError(t, c.Component(name).Stop())
		require.NoError(t, c.Component(name).Start(t.Context()))
	}
	kubectl(t, c, "", "create", "deployment", "after", "--image=example.test/after")
	kubectl(t, c, "", "wait", "deployment/after", "--for=condition=Available", "--timeout=60s")
}

func TestWrongFlagIsQuoted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err := Start(ctx, Options{Minimal: true, KubeAPIServerArgs: []string{"--no-such-flag"}})
	require.ErrorContains(t, err, "kube-apiserver ended while it was starting")
	require.ErrorContains(t, err, "unknown flag: --no-such-flag")
}

func TestMinimalNamespaceIsThere(t *testing.T) {
	_, client := up(t, Options{Minimal: true})
	_, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}},
		metav1.CreateOptions{})
	require.True(t, apierrors.IsAlreadyExists(err), "%v", err)
}
