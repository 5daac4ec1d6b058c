// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package operators tests Operators and OperatorVersions with a real control plane, both programs
// with the shipped rights, kubectl, and chart repositories, over HTTPS and OCI, that fail on
// demand.
package operators

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

// controllerArgs make the controller read a repository often enough for the tests.
var controllerArgs = []string{"--chart-compare-period=3s"}

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithAudit("Metadata"), framework.WithOwnersEnforced(), framework.WithAuthority(),
		framework.WithController(controllerArgs...), framework.WithoutLogCheck())
}

func newRepository(t *testing.T) *chartrepo.Repository {
	t.Helper()
	repository, err := chartrepo.NewRepository(env.Serving)
	require.NoError(t, err)
	t.Cleanup(func() { _ = repository.Close() })
	return repository
}

// try runs kubectl as a cluster administrator.
func try(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	out, errs, err := env.TryKubectl(t, stdin, args...)
	if err != nil {
		return out, fmt.Errorf("kubectl %s: %w\n%s%s", strings.Join(args, " "), err, out, errs)
	}
	return out, nil
}

func kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, err := try(t, stdin, args...)
	require.NoError(t, err)
	return out
}

// apply creates an Operator of a chart with the same name and with additional lines of spec. It is
// deleted at the end of the test.
func apply(t *testing.T, name, repository string, spec ...string) {
	t.Helper()
	kubectl(t, operator(name, repository, spec...), "apply", "-f", "-")
	t.Cleanup(func() {
		_, _, err := env.Cluster.Kubectl(context.Background(), "delete", "operators.release.roadstead.dev", name,
			"--ignore-not-found", "--wait=false")
		require.NoError(t, err)
	})
}

func operator(name, repository string, spec ...string) string {
	return fmt.Sprintf("apiVersion: release.roadstead.dev/v1alpha1\nkind: Operator\nmetadata: {name: %[1]s}\nspec:\n  namespace: "+
		"default\n  chart: {repository: %[2]q, name: %[1]s%[3]s}\n  %[4]s\n",
		name, repository, chartLines(spec), strings.Join(otherLines(spec), "\n  "))
}

// chartLines returns the lines of spec.chart, which begin with a comma.
func chartLines(spec []string) string {
	var lines string
	for _, line := range spec {
		if strings.HasPrefix(line, ",") {
			lines += line
		}
	}
	return lines
}

func otherLines(spec []string) []string {
	var lines []string
	for _, line := range spec {
		if !strings.HasPrefix(line, ",") {
			lines = append(lines, line)
		}
	}
	return lines
}

// version creates an OperatorVersion and returns its name.
func version(t *testing.T, operator, number string) string {
	t.Helper()
	name := operator + "-" + number
	kubectl(t, fmt.Sprintf("apiVersion: release.roadstead.dev/v1alpha1\nkind: OperatorVersion\nmetadata: {name: %s}\nspec: "+
		"{operatorRef: {name: %s}, version: %s}\n", name, operator, number), "apply", "-f", "-")
	t.Cleanup(func() {
		_, _, err := env.Cluster.Kubectl(context.Background(), "delete", "operatorversions", name, "--ignore-not-found", "--wait=false")
		require.NoError(t, err)
	})
	return name
}

// ready waits for the condition Ready with kubectl wait.
func ready(t *testing.T, kindAndName string) {
	t.Helper()
	out, err := try(t, "", "wait", "--for=condition=Ready", "--timeout=60s", kindAndName)
	if err != nil {
		seen, _ := try(t, "", "get", kindAndName, "-o", "jsonpath={.status}")
		require.NoError(t, err, "%s\n%s", out, seen)
	}
}

// says waits until a condition has a status and reason, such as "False ChartNotFound", and returns
// its message.
func says(t *testing.T, kindAndName, condition, want string) string {
	t.Helper()
	var message string
	framework.Await(t, kindAndName+" "+condition+"="+want, func() error {
		path := fmt.Sprintf(`jsonpath={range .status.conditions[?(@.type==%q)]}{.status} {.reason}{"\n"}{.message}{end}`, condition)
		out, err := try(t, "", "get", kindAndName, "-o", path)
		if err != nil {
			return err
		}
		got, text, _ := strings.Cut(out, "\n")
		if got != want {
			return fmt.Errorf("%s: %s", got, text)
		}
		message = text
		return nil
	})
	return message
}

// schemas returns the names of the CRDSchemas of an OperatorVersion.
func schemas(t *testing.T, version string) []string {
	t.Helper()
	return strings.Fields(kubectl(t, "", "get", "crdschemas", "--field-selector=spec.operatorVersionRef.name="+version, "-o",
		`jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}`))
}

// definition returns a CustomResourceDefinition of a group that is used by one test. fields are the
// properties of its spec.
func definition(plural, group, fields string) string {
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.%[2]s}
spec:
  group: %[2]s
  scope: Namespaced
  names: {plural: %[1]s, kind: %[3]s}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: %[4]s}}
`, plural, group, strings.ToUpper(plural[:1])+plural[1:], fields)
}

const (
	sized    = "{size: {type: string}, color: {type: string}}"
	extended = "{size: {type: string}, color: {type: string}, shape: {type: string}}"
	narrowed = "{size: {type: string}}"
)

// chart returns a chart with one CRD in its crds directory and one in its templates.
func chart(name, number, fields string) chartrepo.Chart {
	return chartrepo.Chart{Name: name, Version: number, Files: map[string]string{
		"crds/widgets.yaml": definition("widgets", name+".example.com", fields),
		"templates/gadgets.yaml": "{{ if .Capabilities.APIVersions.Has \"v1\" }}\n" + definition("gadgets",
			name+".example.com", fields) + "{{ end }}",
	}}
}

func add(t *testing.T, repository *chartrepo.Repository, chart chartrepo.Chart) string {
	t.Helper()
	digest, err := repository.Add(chart)
	require.NoError(t, err)
	return digest
}
