// SPDX-License-Identifier: Apache-2.0

//go:build integration

package uninstall

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

const (
	root    = "../../.."
	account = "roadstead-prepare-uninstall"
	// allKinds are the fully qualified kinds of an environment.
	allKinds = "domains.takaro.roadstead.dev,mockservers.takaro.roadstead.dev,users.takaro.roadstead.dev"
)

// installation is an installation that is uninstalled by a test.
type installation struct {
	*install.Installation
	t          *testing.T
	kubeconfig string
}

// setUp installs Roadstead and the manifests of the uninstallation, whose Job the test runs itself.
// Installations with the same dir share the store.
func setUp(t *testing.T, dir string) *installation {
	t.Helper()
	made, err := install.Install(t.Context(), install.Options{Cluster: env.Cluster, Dir: dir,
		ControllerArgs: []string{"--takaro-compare-period=2s", "--takaro-qps=200", "--takaro-burst=200"}})
	require.NoError(t, err)
	i := &installation{Installation: made, t: t, kubeconfig: filepath.Join(dir, account+".kubeconfig")}
	t.Cleanup(func() { assert.NoError(t, made.Stop()) })
	env.Kubectl(t, "", "apply", "-f", filepath.Join(root, "artifacts/deploy/uninstall/rbac.yaml"))
	require.NoError(t, env.Cluster.WriteServiceAccountKubeconfig(t.Context(), i.kubeconfig, install.Namespace, account, time.Hour))
	err = env.ShareRedis(t.Context())
	require.True(t, err == nil || apierrors.IsAlreadyExists(err), "%v", err)
	return i
}

// command returns prepare-uninstall with the rights of its ServiceAccount.
func (i *installation) command(ctx context.Context, out io.Writer, args ...string) *exec.Cmd {
	run := exec.CommandContext(ctx, filepath.Join(root, "bin", install.Controller),
		append([]string{"prepare-uninstall", "--kubeconfig=" + i.kubeconfig, "--namespace=" + install.Namespace}, args...)...)
	run.Env = []string{"HOME=" + i.t.TempDir(), "PATH=" + os.Getenv("PATH")}
	run.Stdout, run.Stderr = out, out
	return run
}

// prepare runs prepare-uninstall to completion and returns its output.
func (i *installation) prepare(args ...string) (string, error) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), framework.Limit)
	defer cancel()
	var out bytes.Buffer
	begin := time.Now()
	err := i.command(ctx, &out, args...).Run()
	i.t.Logf("prepare-uninstall %s: %v after %d ms\n%s", strings.Join(args, " "), err, time.Since(begin).Milliseconds(), out.String())
	return out.String(), err
}

// prepared requires that prepare-uninstall succeeds.
func (i *installation) prepared(args ...string) string {
	i.t.Helper()
	out, err := i.prepare(args...)
	require.NoError(i.t, err)
	require.Contains(i.t, out, "Prepared: ")
	return out
}

// preparedFromPod requires that prepare-uninstall succeeds where the server runs in a pod. It stops
// the server when the command waits for the pod to end, because a running server would create its
// Leases again.
func (i *installation) preparedFromPod(args ...string) string {
	i.t.Helper()
	const name = "server"
	pods := env.Admin.CoreV1().Pods(install.Namespace)
	_, err := pods.Create(i.t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app.kubernetes.io/name": install.APIServer}},
		Spec:       corev1.PodSpec{SchedulerName: "none", Containers: []corev1.Container{{Name: name, Image: name}}},
	}, metav1.CreateOptions{})
	require.NoError(i.t, err)
	run, out := i.begun("Waiting for pods to end: "+name+".", args...)
	require.NoError(i.t, i.APIServer().Stop())
	require.NoError(i.t, pods.Delete(i.t.Context(), name, metav1.DeleteOptions{}))
	err = run.Wait()
	i.t.Logf("prepare-uninstall %s: %v\n%s", strings.Join(args, " "), err, out.String())
	require.NoError(i.t, err)
	require.Contains(i.t, out.String(), "Prepared: ")
	return out.String()
}

// begun starts prepare-uninstall and returns when its output contains a text. The command keeps
// running.
func (i *installation) begun(said string, args ...string) (*exec.Cmd, *synchronized) {
	i.t.Helper()
	out := &synchronized{}
	run := i.command(i.t.Context(), out, args...)
	require.NoError(i.t, run.Start())
	framework.Await(i.t, said, func() error {
		if text := out.String(); !strings.Contains(text, said) {
			return fmt.Errorf("it said: %s", text)
		}
		return nil
	})
	return run, out
}

// refused requires that prepare-uninstall fails.
func (i *installation) refused(args ...string) string {
	i.t.Helper()
	out, err := i.prepare(args...)
	var exit *exec.ExitError
	require.ErrorAs(i.t, err, &exit)
	require.Equal(i.t, 1, exit.ExitCode())
	require.NotContains(i.t, out, "forbidden")
	return out
}

// addWorkloads applies the shipped workloads, whose simulated pods do nothing.
func addWorkloads(t *testing.T) {
	t.Helper()
	for _, file := range []string{"apiserver.yaml", "controller.yaml"} {
		env.Kubectl(t, "", "apply", "-f", filepath.Join(root, "artifacts/deploy/base", file))
	}
	framework.Await(t, "the volume of the server", func() error {
		_, err := env.Admin.CoreV1().PersistentVolumeClaims(install.Namespace).Get(t.Context(), "data-roadstead-apiserver-0", metav1.GetOptions{})
		return err
	})
}

// environment applies the shipped example in a separate namespace and waits until it is Ready.
func environment(t *testing.T, server *takaro.Server) (namespace string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "artifacts/examples/takaro/environment.yaml"))
	require.NoError(t, err)
	namespace = env.Name("environment")
	env.Kubectl(t, strings.NewReplacer("takaro-environment", namespace, "@example.com", "@"+namespace+".example",
		"https://api.takaro.example", server.URL(),
		"wss://connect.takaro.example", server.ConnectorURL(), "replace-me", server.AdminToken()).Replace(string(text)), "apply", "-f", "-")
	env.Kubectl(t, "", "wait", "--for=condition=Ready", allKinds, "--all", "-n", namespace, "--timeout=60s")
	require.Contains(t, secret(t, namespace, "takaro-admin").Finalizers, "roadstead.dev/in-use")
	return namespace
}

func newTakaro(t *testing.T) *takaro.Server {
	t.Helper()
	return framework.NewTakaro(t, takaro.Options{ConnectorListen: "127.0.0.1:0", ReachableInterval: 200 * time.Millisecond})
}

func secret(t *testing.T, namespace, name string) *corev1.Secret {
	t.Helper()
	found, err := env.Admin.CoreV1().Secrets(namespace).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return found
}

// deleteRest deletes the installation as the documentation describes, and requires that nothing
// blocks the deletion.
func deleteRest(t *testing.T) {
	t.Helper()
	for _, folder := range []string{"uninstall", "base"} {
		env.Kubectl(t, "", "delete", "-k", filepath.Join(root, "artifacts/deploy", folder), "--ignore-not-found", "--timeout=50s")
	}
	awaitNoNamespace(t, install.Namespace)
}

// deleteNamespace deletes a namespace and waits until it no longer exists.
func deleteNamespace(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, env.Admin.CoreV1().Namespaces().Delete(t.Context(), name, metav1.DeleteOptions{}))
	awaitNoNamespace(t, name)
}

func awaitNoNamespace(t *testing.T, name string) {
	t.Helper()
	framework.Await(t, "the end of namespace "+name, func() error {
		left, err := env.Admin.CoreV1().Namespaces().Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, fmt.Errorf("%+v", left.Status))
	})
}

// requireNothingHeld requires that no Secret of the cluster has a Roadstead finalizer, and that no
// Roadstead API is registered.
func requireNothingHeld(t *testing.T) {
	t.Helper()
	require.Empty(t, env.Kubectl(t, "", "get", "secrets", "-A", "-o", `jsonpath={range .items[*]}{.metadata.finalizers}{end}`))
	require.NotContains(t, env.Kubectl(t, "", "get", "apiservices", "-o", "name"), "roadstead")
	require.NotContains(t, env.Kubectl(t, "", "get", "validatingwebhookconfigurations", "-o", "name"), "roadstead")
	require.NotContains(t, env.Kubectl(t, "", "get", "leases", "-n", install.Namespace, "-o", "name"), "roadstead")
	require.Empty(t, env.Kubectl(t, "", "get", "deployments,statefulsets,pods", "-n", install.Namespace, "-o", "name"))
}

// made returns the objects in the namespace of the installation that Roadstead created and that may
// remain.
func made(t *testing.T) []string {
	t.Helper()
	var found []string
	for line := range strings.Lines(env.Kubectl(t, "", "get", "secrets,configmaps,persistentvolumeclaims", "-n",
		install.Namespace, "-o", "name")) {
		switch name := strings.TrimSpace(line); name {
		// Objects of the cluster, the manifests and this test.
		case "configmap/kube-root-ca.crt", "configmap/roadstead-apiserver-audit", "secret/redis":
		default:
			found = append(found, name)
		}
	}
	return found
}
