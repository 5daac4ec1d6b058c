// SPDX-License-Identifier: Apache-2.0

//go:build integration

package operators

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/framework"
)

// forged returns the manifest of a CRDSchema that a user creates with the name of one of the
// chart's.
func forged(version, crd, definition string) string {
	return fmt.Sprintf(`{"apiVersion":"release.roadstead.dev/v1alpha1","kind":"CRDSchema","metadata":{"name":"%[1]s.%[2]s"},
		"spec":{"operatorVersionRef":{"name":"%[1]s"},"definition":%[3]s}}`, version, crd, definition)
}

// harmless returns a CRD with all fields of the previous version.
func harmless(plural, group string) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%[1]s.%[2]s"},
		"spec":{"group":"%[2]s","scope":"Namespaced","names":{"plural":"%[1]s","kind":"Widgets"},"versions":[{"name":"v1","served":true,
		  "storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"string"},
		  "color":{"type":"string"}}}}}}}]}}`, plural, group)
}

func TestCRDSchema_CreatedBeforeItsVersionIsNoEvidence(t *testing.T) {
	repository, name := newRepository(t), env.Name("forged")
	add(t, repository, chart(name, "1.0.0", sized))
	add(t, repository, chart(name, "2.0.0", narrowed))
	apply(t, name, repository.URL())
	ready(t, "operatorversion/"+version(t, name, "1.0.0"))

	crd := "widgets." + name + ".example.com"
	kubectl(t, forged(name+"-2.0.0", crd, harmless("widgets", name+".example.com")), "create", "--as=mallory",
		"--as-group=system:masters", "-f", "-")
	second := version(t, name, "2.0.0")
	schema := second + "." + crd
	// The user also adds an owner reference to the version.
	uid := kubectl(t, "", "get", "operatorversion", second, "-o", "jsonpath={.metadata.uid}")
	kubectl(t, "", "patch", "crdschema", schema, "--type=merge", "--as=mallory", "--as-group=system:masters", "-p",
		fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":"release.roadstead.dev/v1alpha1","kind":"OperatorVersion",`+
			`"name":%q,"uid":%q,"controller":true}]}}`, second, uid))
	message := says(t, "operatorversion/"+second, "Ready", "False SchemaNameTaken")
	assert.Contains(t, message, `CRDSchema `+schema+` was created by "mallory"`)
	says(t, "operatorversion/"+second, "CRDsCompatible", "False SchemaNameTaken")
	digest := kubectl(t, "", "get", "crdschema", schema, "-o", "jsonpath={.status.digest}")
	recorded := kubectl(t, "", "get", "operatorversion", second, "-o", fmt.Sprintf(`jsonpath={.status.crds[?(@.name==%q)].digest}`, crd))
	assert.Contains(t, recorded, "sha256:")
	assert.NotEqual(t, digest, recorded, "the digest is that of the chart")
	framework.Await(t, "the CRDSchema to be judged", func() error {
		if reason := kubectl(t, "", "get", "crdschema", schema, "-o",
			`jsonpath={.status.approval} {.status.conditions[0].reason}`); reason != "Rejected SchemaNameTaken" {
			return fmt.Errorf("%s", reason)
		}
		return nil
	})

	// A restarted controller reports the same.
	controller := env.Roadstead.Controller()
	require.NoError(t, controller.Stop())
	require.NoError(t, controller.Start(t.Context()))
	says(t, "operatorversion/"+second, "Ready", "False SchemaNameTaken")

	kubectl(t, "", "delete", "crdschema", schema)
	says(t, "operatorversion/"+second, "Ready", "False AwaitingApproval")
	assert.Equal(t, recorded, kubectl(t, "", "get", "crdschema", schema, "-o", "jsonpath={.status.digest}"))
}

func TestCRDSchema_DeletedIsCreatedAgain(t *testing.T) {
	repository, name := newRepository(t), env.Name("again")
	add(t, repository, chart(name, "1.0.0", sized))
	apply(t, name, repository.URL())
	made := version(t, name, "1.0.0")
	ready(t, "operatorversion/"+made)
	before := kubectl(t, "", "get", "operatorversion", made, "-o", "jsonpath={.status.crds}")
	kubectl(t, "", "delete", "crdschema", made+".widgets."+name+".example.com")
	framework.Await(t, "the CRDSchema", func() error {
		if n := len(schemas(t, made)); n != 2 {
			return fmt.Errorf("%d", n)
		}
		return nil
	})
	ready(t, "operatorversion/"+made)
	assert.Equal(t, before, kubectl(t, "", "get", "operatorversion", made, "-o", "jsonpath={.status.crds}"))
}

func TestValues_DoNotHideCRDs(t *testing.T) {
	repository, name := newRepository(t), env.Name("hidden")
	for _, number := range []string{"1.0.0", "2.0.0"} {
		add(t, repository, chartrepo.Chart{Name: name, Version: number, Files: map[string]string{
			"values.yaml":            "installCRDs: true\n",
			"templates/widgets.yaml": "{{ if .Values.installCRDs }}\n" + definition("widgets", name+".example.com", sized) + "{{ end }}",
		}})
	}
	apply(t, name, repository.URL())
	first := version(t, name, "1.0.0")
	ready(t, "operatorversion/"+first)
	kubectl(t, "", "patch", "operator", name, "--type=merge", "-p", `{"spec":{"values":{"installCRDs":false}}}`)
	message := says(t, "operatorversion/"+first, "Ready", "False ChartCRDsChanged")
	assert.Contains(t, message, "removed widgets."+name+".example.com")

	second := version(t, name, "2.0.0")
	message = says(t, "operatorversion/"+second, "Ready", "False BreakingRefused")
	assert.Contains(t, message, "verb bypass")
	assert.Equal(t, "CRD-S01 B!", kubectl(t, "", "get", "operatorversion", second, "-o",
		"jsonpath={.status.findings[0].code} {.status.findings[0].verdict}"))
	kubectl(t, "", "patch", "operator", name, "--type=merge", "-p", `{"spec":{"crdPolicy":{"breaking":"Warn"}}}`)
	ready(t, "operatorversion/"+second)
	says(t, "operatorversion/"+second, "CRDsCompatible", "True BreakingAllowed")
	kubectl(t, "", "patch", "operator", name, "--type=json", "-p", `[{"op":"remove","path":"/spec/values"}]`)
	ready(t, "operatorversion/"+first)
	says(t, "operatorversion/"+second, "Ready", "False ChartCRDsChanged")
}
