// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/audit/policy"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/process"
)

const manifests = `
apiVersion: v1
kind: Namespace
metadata: {name: roadstead-system}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: roadstead-apiserver}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: roadstead-controller}
---
apiVersion: v1
kind: Service
metadata: {name: roadstead-apiserver}
spec: {selector: {a: b}, ports: [{port: 443}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1alpha1.takaro.roadstead.dev}
spec: {group: takaro.roadstead.dev, versionPriority: 15, service: {name: roadstead-apiserver, namespace: roadstead-system, port: 443}}
`

func TestRewrite(t *testing.T) {
	all, err := decode(strings.NewReader(manifests))
	require.NoError(t, err)
	require.Len(t, all, 5)
	kept, err := rewrite(all, 8443)
	require.NoError(t, err)
	var kinds []string
	for _, object := range kept {
		kinds = append(kinds, object.GetKind())
	}
	require.Equal(t, []string{"Namespace", "Service", "APIService"}, kinds, "workloads are local processes")
	require.Equal(t, map[string]any{
		"type": "ExternalName", "externalName": "localhost",
		"ports": []any{map[string]any{"name": "https", "port": int64(8443), "protocol": "TCP"}},
	}, kept[1].Object["spec"])
	require.Equal(t, map[string]any{
		"group": "takaro.roadstead.dev", "versionPriority": int64(15),
		"service": map[string]any{"name": "roadstead-apiserver", "namespace": "roadstead-system", "port": int64(8443)},
	}, kept[2].Object["spec"])
	require.Equal(t, []string{"v1alpha1.takaro.roadstead.dev"}, apiServices(kept))

	broken := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apiregistration.k8s.io/v1",
		"kind": "APIService", "spec": "no map"}}
	_, err = rewrite([]*unstructured.Unstructured{broken}, 1)
	require.ErrorContains(t, err, "rewrite APIService")
	_, err = decode(strings.NewReader("a: ["))
	require.Error(t, err)
}

func TestWriteAuditPolicy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy")
	all, err := decode(strings.NewReader(manifests))
	require.NoError(t, err)
	err = writeAuditPolicy(all, path)
	require.ErrorContains(t, err, "no ConfigMap roadstead-apiserver-audit")
	for text, want := range map[string]string{"policy.yaml: rules": "", "another.yaml: rules": "has no text policy.yaml",
		"policy.yaml: 7": "has no text policy.yaml"} {
		one, err := decode(strings.NewReader("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: roadstead-apiserver-audit}\ndata: {" + text +
			"}\n"))
		require.NoError(t, err)
		err = writeAuditPolicy(append(all, one...), path)
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		written, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "rules", string(written))
	}
}

// TestShippedArguments verifies the flags of the StatefulSet: they exist, their values are valid,
// and the path of the audit policy is correct.
func TestShippedArguments(t *testing.T) {
	root, err := findRoot()
	require.NoError(t, err)
	read := func(name string) []*unstructured.Unstructured {
		file, err := os.Open(filepath.Join(root, base, name))
		require.NoError(t, err)
		defer func() { _ = file.Close() }()
		all, err := decode(file)
		require.NoError(t, err)
		return all
	}
	set := &appsv1.StatefulSet{}
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(read("apiserver.yaml")[0].Object, set))
	container := set.Spec.Template.Spec.Containers[0]
	command := options.NewCommand()
	require.NoError(t, command.ParseFlags(container.Args))
	require.Equal(t, "-", command.Flag("audit-log-path").Value.String())

	volumes := map[string]string{}
	for _, volume := range set.Spec.Template.Spec.Volumes {
		if volume.ConfigMap != nil {
			volumes[volume.Name] = volume.ConfigMap.Name
		}
	}
	mounted := map[string]string{}
	for _, mount := range container.VolumeMounts {
		mounted[mount.MountPath] = volumes[mount.Name]
	}
	folder, key := filepath.Split(command.Flag("audit-policy-file").Value.String())
	require.Equal(t, auditPolicy, mounted[filepath.Clean(folder)])
	require.Equal(t, auditPolicyKey, key)
	path := filepath.Join(t.TempDir(), "policy")
	require.NoError(t, writeAuditPolicy(read("apiserver-audit.yaml"), path))
	_, err = policy.LoadPolicyFromFile(path)
	require.NoError(t, err)
}

func TestOptions(t *testing.T) {
	_, err := (&Options{}).prepare()
	require.ErrorContains(t, err, "Options.Cluster")
	bin := t.TempDir()
	options := &Options{Cluster: &cluster.Cluster{}, BinDir: bin, Dir: t.TempDir()}
	_, err = options.prepare()
	require.ErrorContains(t, err, "run `make build` first")
	require.NoError(t, os.WriteFile(filepath.Join(bin, APIServer), nil, 0o755))
	_, err = options.prepare()
	require.ErrorContains(t, err, Controller)
	options.WithoutController = true
	folder, err := options.prepare()
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(folder, "kustomization.yaml"))
	options.Replicas = 2
	_, err = options.prepare()
	require.ErrorContains(t, err, "Options.Front")
	options.Replicas = 1
	t.Chdir(t.TempDir())
	_, err = options.prepare()
	require.ErrorContains(t, err, "run inside the checkout")
}

func TestSeveralAPIServersKeepApart(t *testing.T) {
	require.Equal(t, []string{"etcd", "etcd-2"}, []string{numbered("etcd", 0), numbered("etcd", 1)})
}

func TestAvailable(t *testing.T) {
	service := &apiregistration.APIService{}
	service.Name = "one"
	require.ErrorContains(t, available(service), "no condition Available")
	service.Status.Conditions = []apiregistration.APIServiceCondition{{Type: apiregistration.Available,
		Status: apiregistration.ConditionFalse, Reason: "FailedDiscoveryCheck", Message: "because"}}
	require.EqualError(t, available(service), "APIService one: FailedDiscoveryCheck: because")
	service.Status.Conditions[0].Status = apiregistration.ConditionTrue
	require.NoError(t, available(service))
}

// program returns a program that runs a shell script and counts as serving when the script has
// written the file "up".
func program(t *testing.T, script string) *Program {
	t.Helper()
	dir := t.TempDir()
	p := &Program{name: "test", run: process.Options{Program: "/bin/sh", Args: []string{"-c", script}, Dir: dir,
		Log: filepath.Join(dir, "log")}}
	p.check = func(context.Context) error {
		_, err := os.Stat(filepath.Join(dir, "up"))
		return err
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

func TestProgram(t *testing.T) {
	p := program(t, `trap 'rm up; exit 0' TERM; touch up; while :; do sleep 0.01; done`)
	require.Zero(t, p.PID())
	require.NoError(t, p.Stop())
	require.NoError(t, p.Kill())
	require.NoError(t, p.Start(t.Context()))
	first := p.PID()
	require.NoError(t, p.Start(t.Context()), "it runs already")
	require.Equal(t, first, p.PID())
	require.True(t, p.Running())
	require.NoError(t, p.Stop())
	require.False(t, p.Running())
	require.NoError(t, p.Start(t.Context()))
	require.NotEqual(t, first, p.PID())
	require.NoError(t, p.Kill())
	require.NoError(t, p.Stop(), "what was killed needs no stop")
}

func TestProgramThatFails(t *testing.T) {
	p := program(t, `echo the disk is on fire; exit 3`)
	err := p.Start(t.Context())
	require.ErrorContains(t, err, "test ended before it was serving (exit status 3)")
	require.ErrorContains(t, err, "the disk is on fire")

	p = program(t, `trap 'echo cannot; exit 4' TERM; touch up; while :; do sleep 0.01; done`)
	require.NoError(t, p.Start(t.Context()))
	err = p.Stop()
	require.ErrorContains(t, err, "did not end well (exit status 4)")
	require.ErrorContains(t, err, "cannot")

	p = program(t, `while :; do sleep 0.01; done`)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, p.Start(ctx), context.DeadlineExceeded)
}

func TestArgumentsOfOneRun(t *testing.T) {
	p := program(t, `trap 'exit 0' TERM; echo "run: $*"; touch up; while :; do sleep 0.01; done`)
	p.run.Args = append(p.run.Args, "name", "always")
	require.NoError(t, p.StartWith(t.Context(), "once"))
	require.NoError(t, p.Stop())
	require.NoError(t, os.Remove(filepath.Join(p.run.Dir, "up")))
	require.NoError(t, p.Start(t.Context()))
	require.NoError(t, p.Stop())
	log, err := os.ReadFile(p.Log())
	require.NoError(t, err)
	require.Equal(t, "run: always once\nrun: always\n", string(log))
}
