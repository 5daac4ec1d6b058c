// SPDX-License-Identifier: Apache-2.0

//go:build integration

package plugin

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

const (
	example          = "../../../artifacts/examples/takaro/environment.yaml"
	exampleNamespace = "takaro-environment"
)

// environment is the shipped example in a separate namespace, with a separate Takaro and a user
// with the role edit.
type environment struct {
	t          *testing.T
	takaro     *takaro.Server
	namespace  string
	kubeconfig string
	manifest   string
}

// newEnvironment fills in the example as a user does. It applies only the namespace.
func newEnvironment(t *testing.T) *environment {
	t.Helper()
	server := framework.NewTakaro(t, takaro.Options{ConnectorListen: "127.0.0.1:0", ReachableInterval: 200 * time.Millisecond})
	text, err := os.ReadFile(example)
	require.NoError(t, err)
	e := &environment{t: t, takaro: server, namespace: env.Name("environment"), manifest: string(text)}
	e.replace(exampleNamespace, e.namespace)
	e.replace("https://api.takaro.example", server.URL())
	e.replace("wss://connect.takaro.example", server.ConnectorURL())
	e.replace("replace-me", server.AdminToken())
	_, err = env.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.namespace}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(e.leave)
	e.kubeconfig = e.person("edit")
	return e
}

// person creates a user with a ClusterRole in the namespace, and returns the path of the
// kubeconfig.
func (e *environment) person(role string) string {
	e.t.Helper()
	u := env.User(e.t, e.namespace, role)
	for _, resource := range []string{"mockservers", "users"} {
		env.AwaitAccess(e.t, u.Name(), authorizationv1.ResourceAttributes{
			Namespace: e.namespace, Verb: "list", Group: "takaro.roadstead.dev", Resource: resource,
		})
	}
	return u.Kubeconfig
}

// replace replaces old in the manifest, which must contain it.
func (e *environment) replace(old, now string) {
	e.t.Helper()
	require.Contains(e.t, e.manifest, old)
	e.manifest = strings.ReplaceAll(e.manifest, old, now)
}

// without removes the documents that contain a line from the manifest.
func (e *environment) without(line string) {
	e.t.Helper()
	var kept []string
	documents := strings.Split(e.manifest, "\n---\n")
	for _, document := range documents {
		if !strings.Contains(document, line) {
			kept = append(kept, document)
		}
	}
	require.Less(e.t, len(kept), len(documents), line)
	e.manifest = strings.Join(kept, "\n---\n")
}

// leave removes the remaining objects of a test while its Takaro still responds.
func (e *environment) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), framework.Limit)
	defer cancel()
	if e.t.Failed() {
		out, _, _ := env.Cluster.Kubectl(ctx, "get", "roadstead,statefulsets,pods,events", "-n", e.namespace, "-o", "wide")
		e.t.Log(out)
	}
	e.takaro.ClearFaults()
	_, _, err := env.Cluster.Kubectl(ctx, "delete", "namespace", e.namespace, "--ignore-not-found", "--wait=false")
	assert.NoError(e.t, err)
}

func (e *environment) apply() {
	e.t.Helper()
	env.Kubectl(e.t, e.manifest, "apply", "-f", "-")
}

// answer is the result of a run of the plugin.
type answer struct {
	code          int
	out, problems string
}

// roadstead runs "kubectl roadstead" as the user.
func (e *environment) roadstead(args ...string) answer {
	e.t.Helper()
	return roadstead(e.t, e.kubeconfig, args...)
}

// roadstead runs the plugin with kubectl, which finds it in PATH.
func roadstead(t *testing.T, kubeconfig string, args ...string) answer {
	t.Helper()
	bin, err := filepath.Abs("../../../bin")
	require.NoError(t, err)
	var out, problems bytes.Buffer
	command := exec.CommandContext(t.Context(), env.Cluster.KubectlPath(), append([]string{"roadstead"}, args...)...)
	command.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + env.Cluster.Dir(), "PATH=" + bin + ":" + os.Getenv("PATH")}
	command.Stdout, command.Stderr = &out, &problems
	err = command.Run()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		require.NoError(t, err)
	}
	return answer{code, out.String(), problems.String()}
}

// awaitReady waits with the wait command of the plugin until everything is Ready.
func (e *environment) awaitReady() {
	e.t.Helper()
	got := e.roadstead("wait", "--timeout", framework.Limit.String())
	require.Zero(e.t, got.code, "%s%s", got.out, got.problems)
}
