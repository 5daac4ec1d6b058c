// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// check runs the built program and returns its exit code and its output.
func check(t *testing.T, args ...string) (code int, out, problems []byte) {
	t.Helper()
	program := exec.CommandContext(t.Context(), "../../../bin/roadstead-crdcheck", args...)
	out, err := program.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), out, exit.Stderr
	}
	require.NoError(t, err)
	return 0, out, nil
}

func reportOf(t *testing.T, out []byte) rules.Report {
	t.Helper()
	var report rules.Report
	require.NoError(t, json.Unmarshal(out, &report), "%s", out)
	return report
}

// widgets returns a CRD whose spec has the given schema.
func widgets(t *testing.T, group, spec string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	require.NoError(t, yaml.UnmarshalStrict([]byte(fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.%[1]s}
spec:
  group: %[1]s
  names: {plural: widgets, singular: widget, kind: Widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: %[2]s}}}
`, group, spec)), definition))
	return definition
}

// file writes a CRD to a file for the program.
func file(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) string {
	t.Helper()
	content, err := yaml.Marshal(definition)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "new.yaml")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	return name
}

func TestLiveObjectsAreCounted(t *testing.T) {
	const group = "live.example.com"
	_, made := establish(t, widgets(t, group, "{type: object, properties: {size: {type: integer}, mode: {type: string}}}"))
	require.True(t, made)
	client := objects.Resource(schema.GroupVersionResource{Group: group, Version: "v1", Resource: "widgets"}).Namespace("default")
	for i := range 7 {
		widget := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": group + "/v1", "kind": "Widget", "metadata": map[string]any{"name": fmt.Sprintf("widget-%d", i)},
			"spec": map[string]any{"mode": []string{"eco", "turbo"}[i%2], "size": int64(i)},
		}}
		_, err := client.Create(t.Context(), widget, metav1.CreateOptions{})
		require.NoError(t, err)
	}

	safe := file(t, widgets(t, group, "{type: object, properties: {size: {type: integer}, mode: {type: string}, color: {type: string}}}"))
	code, out, problems := check(t, "--live", safe, "--kubeconfig", env.Cluster.Kubeconfig(), "-o", "json")
	require.Zero(t, code, "%s%s", out, problems)
	require.Equal(t, rules.Safe, reportOf(t, out).Verdict)

	breaking := file(t, widgets(t, group, "{type: object, properties: {mode: {type: string, enum: [eco]}}}"))
	code, out, problems = check(t, "--live", breaking, "--kubeconfig", env.Cluster.Kubeconfig(), "-o", "json")
	require.Equal(t, 2, code, "%s%s", out, problems)
	counts := map[string]int{}
	for _, finding := range reportOf(t, out).Findings {
		if finding.Evidence == rules.Live {
			counts[finding.Code+" "+finding.Path] = finding.LiveCount
			require.NotEmpty(t, finding.SampleObjects)
			require.LessOrEqual(t, len(finding.SampleObjects), 5)
		}
	}
	require.Equal(t, 7, counts["CRD-L01 .spec.size"], "%s", out)
	require.Equal(t, 3, counts["CRD-L02 .spec.mode"], "%s", out)
	_, out, _ = check(t, "--live", breaking, "--kubeconfig", env.Cluster.Kubeconfig())
	t.Logf("$ roadstead-crdcheck --live new.yaml\n%s", out)
}

// TestTheBuiltProgramKnowsCEL verifies CEL rules with the built program. Its binary contains the
// Roadstead version, which the validation library of the API server must not mistake for its own.
func TestTheBuiltProgramKnowsCEL(t *testing.T) {
	for id, verdict := range map[string]rules.Verdict{"A02": rules.Breaking, "A04": rules.Safe, "A10": rules.Refused,
		"R03": rules.Destructive} {
		_, out, problems := check(t, filepath.Join(pairs, id, "old.yaml"), filepath.Join(pairs, id, "new.yaml"), "-o", "json")
		require.Equal(t, verdict, reportOf(t, out).Verdict, "%s: %s%s", id, out, problems)
	}
}
