// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package crdguard tests changes of CustomResourceDefinitions in a cluster with the guard: a real
// kube-apiserver calls the built server through its aggregation layer, and kubectl and Helm print
// the responses.
package crdguard

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
)

var env *framework.Env

// figuresEvery is the interval at which the cluster counts its objects, by default one minute.
const figuresEvery = "2s"

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithAudit("Metadata"), framework.WithHost(func(o *cluster.Options) {
		o.KubeAPIServerArgs = []string{"--etcd-count-metric-poll-period=" + figuresEvery}
	}))
}

// deploy is the directory of the shipped manifests.
var deploy = filepath.Join("..", "..", "..", "artifacts", "deploy")

// guarded installs the shipped guard once, and returns when the cluster calls it.
var guarded = func() func(*testing.T) {
	var once sync.Once
	return func(t *testing.T) {
		t.Helper()
		once.Do(func() { applyManifests(t, "guard") })
	}
}()

// applyManifests applies a directory of manifests with the guard, and returns when the cluster
// calls it.
func applyManifests(t *testing.T, folder string) {
	t.Helper()
	kubectl(t, "", "apply", "-k", filepath.Join(deploy, folder))
	awaitGuard(t)
}

// awaitGuard returns when the cluster rejects breaking changes.
func awaitGuard(t *testing.T) {
	t.Helper()
	d := create(t)
	framework.Await(t, "the host to ask the guard", func() error {
		out, _, err := env.TryKubectl(t, d.yaml(narrowed), "apply", "--dry-run=server", "-f", "-")
		if err == nil {
			return fmt.Errorf("a breaking change passes: %s", out)
		}
		if !strings.Contains(err.Error(), "allow-change") {
			return err
		}
		return nil
	})
}

// definition is a CustomResourceDefinition that is used by one test.
type definition struct {
	// plural, group and kind are the names. The name of the CRD is plural.group.
	plural, group, kind string
	// cluster is true if the objects are cluster-scoped.
	cluster bool
}

func (d definition) name() string { return d.plural + "." + d.group }

// Schemas of the spec of the objects, in YAML.
const (
	sized    = "{size: {type: string}, color: {type: string}}"
	narrowed = "{size: {type: string}}"
	extended = "{size: {type: string}, color: {type: string}, shape: {type: string}}"
	filled   = "{size: {type: string, default: small}, color: {type: string}}"
)

// yaml returns the manifest with one version whose objects have the given spec. annotations are
// "key: value".
func (d definition) yaml(spec string, annotations ...string) string {
	return d.manifest(version("v1", spec, true), annotations...)
}

func (d definition) manifest(versions string, annotations ...string) string {
	scope := "Namespaced"
	if d.cluster {
		scope = "Cluster"
	}
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %s
  annotations: {%s}
spec:
  group: %s
  scope: %s
  names: {plural: %s, singular: %s, kind: %s, listKind: %sList}
  versions:
%s`, d.name(), strings.Join(annotations, ", "), d.group, scope, d.plural, strings.ToLower(d.kind), d.kind, d.kind, versions)
}

// version returns one version of a manifest.
func version(name, spec string, storage bool) string {
	return fmt.Sprintf("  - {name: %s, served: true, storage: %t, schema: {openAPIV3Schema: {type: object, properties: {spec: "+
		"{type: object, properties: %s}}}}}\n", name, storage, spec)
}

// object returns the manifest of an object with both fields.
func (d definition) object(name string) string {
	return fmt.Sprintf("apiVersion: %s/v1\nkind: %s\nmetadata: {name: %s}\nspec: {size: big, color: red}\n", d.group, d.kind, name)
}

// create creates a CRD whose objects have the spec sized, and returns when it is served.
func create(t *testing.T, annotations ...string) definition {
	t.Helper()
	n := env.Name("x")
	d := definition{plural: "widgets", group: n + ".guard.example.com", kind: "Widget"}
	kubectl(t, d.yaml(sized, annotations...), "apply", "-f", "-")
	kubectl(t, "", "wait", "crd/"+d.name(), "--for=condition=Established", "--timeout=30s")
	return d
}

// fill creates objects of a CRD.
func (d definition) fill(t *testing.T, names ...string) {
	t.Helper()
	var all strings.Builder
	for _, name := range names {
		all.WriteString("---\n" + d.object(name))
	}
	framework.Await(t, "objects of "+d.name(), func() error {
		_, _, err := env.TryKubectl(t, all.String(), "apply", "-f", "-")
		return err
	})
}

// kubectl runs kubectl as the administrator, requires success and returns its output.
func kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, problems, err := env.TryKubectl(t, stdin, args...)
	require.NoError(t, err)
	return out + problems
}

// refused runs kubectl, requires a failure and returns its output.
func refused(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, problems, err := env.TryKubectl(t, stdin, args...)
	require.Error(t, err, "it was not refused: %s", out)
	return problems
}

// wayOut returns the arguments of the kubectl annotate command at the end of a rejection. Helm
// prints a rejection twice, quoted and unquoted.
func wayOut(t *testing.T, printed string) []string {
	t.Helper()
	const run = "run: kubectl "
	begin := strings.LastIndex(printed, run)
	require.Positive(t, begin, "there is no way out in: %s", printed)
	command, _, _ := strings.Cut(printed[begin+len(run):], "\n")
	args := strings.Fields(command)
	require.Equal(t, "annotate", args[0])
	require.Equal(t, "--overwrite", args[len(args)-1])
	return args
}

// stored returns the field of a CRD at a jsonpath.
func stored(t *testing.T, d definition, path string) string {
	t.Helper()
	return kubectl(t, "", "get", "crd", d.name(), "-o", "jsonpath={"+path+"}")
}

// hasColor reports whether the stored schema has the field that narrowed lacks.
func hasColor(t *testing.T, d definition) bool {
	t.Helper()
	return stored(t, d, ".spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.color.type") == "string"
}

var errNotYet = errors.New("not yet")
