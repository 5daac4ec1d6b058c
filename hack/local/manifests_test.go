// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"roadstead.dev/roadstead/hack/cluster"
	"roadstead.dev/roadstead/hack/process"
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

	broken := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "spec": "no map"}}
	_, err = rewrite([]*unstructured.Unstructured{broken}, 1)
	require.ErrorContains(t, err, "rewrite APIService")
	_, err = decode(strings.NewReader("a: ["))
	require.Error(t, err)
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
	t.Chdir(t.TempDir())
	_, err = options.prepare()
	require.ErrorContains(t, err, "run inside the checkout")
}

func TestAvailable(t *testing.T) {
	service := &apiregistration.APIService{}
	service.Name = "one"
	require.ErrorContains(t, available(service), "no condition Available")
	service.Status.Conditions = []apiregistration.APIServiceCondition{{Type: apiregistration.Available, Status: apiregistration.ConditionFalse, Reason: "FailedDiscoveryCheck", Message: "because"}}
	require.EqualError(t, available(service), "APIService one: FailedDiscoveryCheck: because")
	service.Status.Conditions[0].Status = apiregistration.ConditionTrue
	require.NoError(t, available(service))
}

// program runs a shell script that is taken as serving when it has written the file "up".
func program(t *testing.T, script string) *Program {
	t.Helper()
	dir := t.TempDir()
	p := &Program{name: "test", run: process.Options{Program: "/bin/sh", Args: []string{"-c", script}, Dir: dir, Log: filepath.Join(dir, "log")}}
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
