// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// pairs maps the values files of the chart's directory ci to the kustomize directories with the
// same objects.
var pairs = map[string][]string{
	"default":           {"default"},
	"base":              {"base"},
	"ha":                {"ha"},
	"dev":               {"dev"},
	"cert-manager":      {"cert-manager"},
	"guard":             {"base", "guard"},
	"guard-only":        {"guard-only"},
	"guard-closed":      {"ha", "guard-closed"},
	"crdguard-live":     {"base", "guard", "crdguard-live"},
	"redis":             {"base", "redis"},
	"networkpolicy":     {"base", "networkpolicy"},
	"monitoring":        {"base", "monitoring"},
	"secret-namespaces": {"secret-namespaces"},
	"uninstall":         {"base", "uninstall"},
}

func TestTheChartGivesTheObjectsOfTheKustomizeFolders(t *testing.T) {
	for name, folders := range pairs {
		t.Run(name, func(t *testing.T) {
			chart := render(t, valuesOf(t, name))
			if !slices.Contains(folders, "uninstall") {
				// This directory is never applied together with the others, as Helm does not create
				// hooks together with the other objects.
				maps.DeleteFunc(chart, func(_ string, object *unstructured.Unstructured) bool { return isHook(object) })
			}
			compare(t, kustomize(t, folders...), chart)
		})
	}
}

// A directory that is not compared would diverge from the chart.
func TestEveryKustomizeFolderAndValuesFileIsCompared(t *testing.T) {
	compared := map[string]bool{}
	for _, folders := range pairs {
		for _, folder := range folders {
			compared[folder] = true
		}
	}
	files, err := filepath.Glob(filepath.Join(deployFolder, "*", "kustomization.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		folder := filepath.Base(filepath.Dir(file))
		assert.True(t, compared[folder], "artifacts/deploy/%s has no values file: add one to ci, and the pair to this test", folder)
	}
	entries, err := os.ReadDir(filepath.Join(chartFolder, "ci"))
	require.NoError(t, err)
	for _, entry := range entries {
		assert.Contains(t, pairs, strings.TrimSuffix(entry.Name(), "-values.yaml"), "ci/%s is compared with nothing", entry.Name())
	}
}

func compare(t *testing.T, shipped, chart objects) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(shipped)) {
		if name == "Namespace "+systemNamespace {
			continue // created by helm install --create-namespace
		}
		if assert.Contains(t, chart, name, "the chart lacks it") {
			want, got := normalized(shipped[name], shipped[name]), normalized(chart[name], shipped[name])
			if !assert.ObjectsAreEqual(want, got) {
				t.Errorf("%s differs (- kustomize, + chart):\n%s", name, difference(t, want, got))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(chart)) {
		assert.Contains(t, shipped, name, "only the chart has it")
	}
}

// helmLabels are on every object of the chart and are not compared.
var helmLabels = []string{
	"app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by", "app.kubernetes.io/part-of", "helm.sh/chart",
}

var imageTag = regexp.MustCompile(`^(ghcr\.io/roadstead/[^:@]+):[^:@]+$`)

// normalized returns an object without what has no effect in the cluster: Helm's labels and hooks,
// a name label that the shipped object does not have, and the version of Roadstead's images.
func normalized(object, shipped *unstructured.Unstructured) values {
	bare := object.DeepCopy()
	labels := bare.GetLabels()
	for _, label := range helmLabels {
		delete(labels, label)
	}
	const name = "app.kubernetes.io/name"
	if shipped.GetLabels()[name] == "" {
		delete(labels, name)
	}
	if len(labels) == 0 {
		labels = nil
	}
	bare.SetLabels(labels)
	annotations := bare.GetAnnotations()
	maps.DeleteFunc(annotations, func(annotation, _ string) bool { return strings.HasPrefix(annotation, "helm.sh/hook") })
	if len(annotations) == 0 {
		annotations = nil
	}
	bare.SetAnnotations(annotations)
	each(bare.Object, func(m values) {
		if image, ok := m["image"].(string); ok {
			m["image"] = imageTag.ReplaceAllString(image, "$1")
		}
	})
	return bare.Object
}

// each calls do for every map in a value.
func each(value any, do func(values)) {
	switch typed := value.(type) {
	case values:
		do(typed)
		for _, inner := range typed {
			each(inner, do)
		}
	case []any:
		for _, inner := range typed {
			each(inner, do)
		}
	}
}

func isHook(object *unstructured.Unstructured) bool {
	return object.GetAnnotations()["helm.sh/hook"] != ""
}

func difference(t tester, want, got any) string {
	t.Helper()
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(asYAML(t, want)), B: difflib.SplitLines(asYAML(t, got)), Context: 4,
	})
	require.NoError(t, err)
	return text
}
