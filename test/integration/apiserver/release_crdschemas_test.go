// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
)

// line creates an operator with a policy and two versions as an administrator, and the CRDSchema of
// the first version as a user.
func line(t *testing.T, policy string) (u *framework.User, name, group string) {
	t.Helper()
	u, name = person(t, "roadstead:release-operator"), env.Name("line")
	group = name + ".example.com"
	adminIn(t, operator(name, policy)+version(name, "1.0.0")+version(name, "1.1.0"), "apply", "-f", "-")
	_, warnings := u.KubectlSaid(t, schema(name+"-1.0.0", group, 5), "create", "-f", "-")
	require.Empty(t, warnings)
	require.Equal(t, "Ready NotRequired True NothingToCompare 1", field(t, u, "crdschema", name+"-1.0.0.widgets."+group,
		".status.phase}{' '}{.status.approval}{' '}{.status.conditions[0].status}{' '}{.status.conditions[0].reason}{' "+
			"'}{.status.observedGeneration"))
	return u, name, group
}

const outcome = ".status.compatibility}{' '}{.status.totalFindings}{' '}{.status.approval}{' '}{.status.phase}{' " +
	"'}{.status.conditions[0].reason}{' '}{.status.against.name"

// TestABreakingChangeIsRefused verifies that a breaking change is rejected with one cause for each
// finding, regardless of how the CRD is submitted.
func TestABreakingChangeIsRefused(t *testing.T) {
	t.Parallel()
	for policy, wayOut := range map[string]string{
		"Deny": `does not allow breaking changes: its spec.crdPolicy.breaking is Deny`,
		"RequireApproval": `metadata.annotations[roadstead.dev/request-approval]: Required value: a breaking change needs an ` +
			`approval. To request one, set the annotation roadstead.dev/request-approval: "<why the change is needed>"`,
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			u, name, group := line(t, policy)
			breaking := schema(name+"-1.1.0", group, 4)
			for _, args := range [][]string{{"create"}, {"apply"}, {"apply", "--server-side"}, {"create", "--dry-run=server"}} {
				problems := u.KubectlFails(t, breaking, append(args, "-f", "-")...)
				assert.Regexp(t, `\* spec.definition\[v1\].spec.count: Forbidden: \[CRD-\w+ B\] `, problems, args)
				assert.Regexp(t, `\* spec.definition\[v1\].spec.size: Forbidden: \[CRD-\w+ B\] `, problems, args)
				assert.Contains(t, problems, wayOut, args)
				assert.Equal(t, 3, strings.Count(problems, "\n* "), problems)
			}
			require.Error(t, u.TryKubectl(t, "", "get", "crdschema", name+"-1.1.0.widgets."+group))
			problems := u.KubectlFails(t, asking(breaking, " "), "apply", "-f", "-")
			require.Contains(t, problems, "metadata.annotations[roadstead.dev/request-approval]: Required value: state why the change is needed")
			if policy == "Deny" {
				require.Contains(t, u.KubectlFails(t, asking(breaking, "please"), "apply", "-f", "-"), wayOut, "nobody can approve what is denied")
			}
		})
	}
}

func TestABreakingChangeWaitsForAnApproval(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"create"}, {"apply"}, {"apply", "--server-side"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			u, name, group := line(t, "RequireApproval")
			pending := asking(schema(name+"-1.1.0", group, 4), "nobody uses the larger sizes")
			u.KubectlIn(t, pending, append(args, "--dry-run=server", "-f", "-")...)
			require.Error(t, u.TryKubectl(t, "", "get", "crdschema", name+"-1.1.0.widgets."+group), "a dry run stores nothing")
			_, warnings := u.KubectlSaid(t, pending, append(args, "-f", "-")...)
			require.Regexp(t, `Warning: spec.versions\[v1\].schema.spec.size: \[CRD-\w+ B\] `, warnings)
			require.Contains(t, warnings, "Warning: the CRDSchema is stored, but must not be rolled out until it is approved")
			stored := name + "-1.1.0.widgets." + group
			require.Equal(t, "B 2 Pending AwaitingApproval AwaitingApproval "+name+"-1.0.0.widgets."+group,
				field(t, u, "crdschema", stored, outcome))
			require.Equal(t, field(t, u, "crdschema", name+"-1.0.0.widgets."+group, ".metadata.uid}{.status.digest"), field(t, u, "crdschema",
				stored, ".status.against.uid}{.status.against.digest"))
			require.Regexp(t, "^sha256:[0-9a-f]{64}$", field(t, u, "crdschema", stored, ".status.against.change"))
			require.Equal(t, "v1 .spec.count", field(t, u, "crdschema", stored, ".status.findings[0].version}{' '}{.status.findings[0].path"))
			require.Equal(t, u.Name(), field(t, u, "crdschema", stored, ".status.createdBy"))
			require.Equal(t, "crdschema.release.roadstead.dev/"+stored+"\n", u.Kubectl(t, "get", "crdschemas", "--field-selector",
				"status.approval=Pending,status.crd=widgets."+group, "-o", "name"))
			require.Equal(t, "crdschema.release.roadstead.dev/"+stored+"\n", u.Kubectl(t, "get", "crdschemas", "--field-selector",
				"spec.operatorVersionRef.name="+name+"-1.1.0", "-o", "name"))
			table := rows(u.Kubectl(t, "get", "crdschema", stored, "-o", "wide"))
			require.Equal(t, "NAME CRD OPERATOR VERSION COMPATIBILITY FINDINGS APPROVAL PHASE AGAINST DIGEST CREATED BY REQUESTED BY REASON AGE",
				strings.Join(table[0], " "))
			require.Equal(t, []string{stored, "widgets." + group, name + "-1.1.0", "B", "2", "Pending", "AwaitingApproval",
				name + "-1.0.0.widgets." + group}, table[1][:8])
			described := u.Kubectl(t, "describe", "crdschema", stored)
			require.Contains(t, described, "awaits a decision: see kubectl get approvals.release.roadstead.dev")
		})
	}
}

func TestWhatPassesIsStoredWithWhatItDoes(t *testing.T) {
	t.Parallel()
	u, name, group := line(t, "Warn")
	before := name + "-1.0.0.widgets." + group
	_, warnings := u.KubectlSaid(t, schema(name+"-1.1.0", group, 4), "apply", "-f", "-")
	require.Regexp(t, `Warning: spec.versions\[v1\].schema.spec.size: \[CRD-\w+ B\] `, warnings)
	require.Equal(t, "B 2 NotRequired Ready BreakingAllowed "+before, field(t, u, "crdschema", name+"-1.1.0.widgets."+group, outcome))
	adminIn(t, version(name, "1.2.0")+version(name, "0.9.0"), "apply", "-f", "-")
	_, warnings = u.KubectlSaid(t, schema(name+"-1.2.0", group, 9), "apply", "-f", "-")
	require.NotContains(t, warnings, "CRD-")
	require.Equal(t, "S 2 NotRequired Ready Compatible "+name+"-1.1.0.widgets."+group, field(t, u, "crdschema",
		name+"-1.2.0.widgets."+group, outcome))
	u.KubectlIn(t, schema(name+"-0.9.0", group, 1), "apply", "-f", "-")
	require.Equal(t, "NothingToCompare", field(t, u, "crdschema", name+"-0.9.0.widgets."+group, ".status.conditions[0].reason"),
		"there is no lower version")

	scoped := strings.Replace(byHand(name, group, 5, "againstRef: {name: "+before+"}"), "scope: Namespaced", "scope: Cluster", 1)
	require.Regexp(t, `spec.definition.spec.scope: Forbidden: \[CRD-\w+ X\]`, u.KubectlFails(t, asking(scoped, "please"), "apply", "-f", "-"),
		"what the API server refuses is refused under every policy")
	admin(t, "delete", "crdschema", before)
	require.Equal(t, before, field(t, u, "crdschema", name+"-1.1.0.widgets."+group, ".status.against.name"))
	u.Kubectl(t, "delete", "opv", name+"-1.1.0")
	u.Kubectl(t, "delete", "op", name)
}

// TestADefinitionIsAppliedAgain verifies that a repeated apply succeeds, because kubectl apply and
// Flux do that continuously.
func TestADefinitionIsAppliedAgain(t *testing.T) {
	t.Parallel()
	for mode, flags := range map[string][]string{"client side": nil, "server side": {"--server-side"}} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			u, name := person(t, "roadstead:release-operator"), env.Name("again")
			apply := append([]string{"apply", "-f", "-"}, flags...)
			group := name + ".example.com"
			u.KubectlIn(t, byHand(name, group, 5), apply...)
			version := field(t, u, "crdschema", name, ".metadata.resourceVersion")
			for range 2 {
				u.KubectlIn(t, byHand(name, group, 5), apply...)
				require.Equal(t, version, field(t, u, "crdschema", name, ".metadata.resourceVersion"), "the same manifest again changed the object")
			}
			require.NotContains(t, u.Kubectl(t, "get", "crdschema", name, "-o", "yaml", "--show-managed-fields"), "{\\\"apiVersion",
				"the copy of the manifest is not kept")
			require.Contains(t, u.KubectlFails(t, byHand(name, group, 6), apply...),
				"spec.definition: Invalid value: field is immutable: store another definition as a CRDSchema of another name")
			require.Contains(t, u.KubectlFails(t, byHand(name, group, 5, "againstRef: {name: other}"), apply...), "spec.againstRef")
			u.Kubectl(t, "label", "crdschema", name, "team=blue")
			require.Equal(t, "1", field(t, u, "crdschema", name, ".metadata.generation"))
		})
	}
	u, name := person(t, "roadstead:release-operator"), env.Name("both")
	u.KubectlIn(t, byHand(name, name+".example.com", 5), "create", "-f", "-")
	u.KubectlIn(t, byHand(name, name+".example.com", 5), "apply", "--server-side", "--force-conflicts", "-f", "-")
	u.KubectlIn(t, byHand(name, name+".example.com", 5), "apply", "-f", "-")
	require.Contains(t, u.KubectlFails(t, byHand(name, name+".example.com", 6), "replace", "-f", "-"), "field is immutable")
}

func TestWhatIsWrongWithADefinition(t *testing.T) {
	t.Parallel()
	u, name, group := line(t, "Deny")
	other := byHand(env.Name("other"), "other."+group, 5, "againstRef: {name: "+name+"-1.0.0.widgets."+group+"}")
	for what, tc := range map[string]struct{ manifest, says string }{
		"its name": {strings.Replace(schema(name+"-1.1.0", group, 5), "metadata: {name: "+name+"-1.1.0", "metadata: {name: x", 1),
			`metadata.name: Invalid value: "x.widgets.` + group + `": must be "` + name + `-1.1.0.widgets.` + group + `"`},
		"a missing baseline": {byHand(env.Name("x"), group, 5, "againstRef: {name: missing}"), `spec.againstRef.name: Not found: "missing"`},
		"another definition": {other, "spec.againstRef.name: Invalid value: \"" + name + "-1.0.0.widgets." + group +
			"\": contains CRD widgets." + group},
		"no definition": {object("CRDSchema", env.Name("x"), "againstRef: {name: missing}"), "spec.definition: Required value"},
		"another kind": {object("CRDSchema", env.Name("x"), "definition: {apiVersion: v1, kind: Pod}"),
			`spec.definition: Invalid value: must be a CustomResourceDefinition of apiVersion apiextensions.k8s.io/v1, not a "Pod" of "v1"`},
		"a misspelt field": {strings.Replace(byHand(env.Name("x"), group, 5), "scope:", "scop:", 1),
			`spec.definition: Invalid value: is not a CustomResourceDefinition: unknown field "spec.scop"`},
		"a field of the spec": {byHand(env.Name("x"), group, 5, "against: x"), `unknown field "spec.against"`},
	} {
		assert.Contains(t, u.KubectlFails(t, tc.manifest, "create", "-f", "-"), tc.says, what)
	}
}

func TestAVersionThatIsNotThereIsWarnedOf(t *testing.T) {
	t.Parallel()
	u, name := person(t, "roadstead:release-operator"), env.Name("early")
	group := name + ".example.com"
	_, warnings := u.KubectlSaid(t, schema(name+"-1.0.0", group, 5), "apply", "-f", "-")
	require.Contains(t, warnings, `Warning: spec.operatorVersionRef.name: OperatorVersion "`+name+
		`-1.0.0" does not exist; until it is created, a breaking change needs an approval`)
	require.Equal(t, "False OperatorVersionNotFound Pending", field(t, u, "crdschema", name+"-1.0.0.widgets."+group,
		".status.conditions[0].status}{' '}{.status.conditions[0].reason}{' '}{.status.phase"))
	adminIn(t, version(name, "1.1.0"), "apply", "-f", "-")
	unjudged := "againstRef: {name: " + name + "-1.0.0.widgets." + group + "}"
	require.Contains(t, u.KubectlFails(t, asking(schema(name+"-1.1.0", group, 4, unjudged), "because"), "apply", "-f", "-"),
		`is not accepted (status.approval is "")`)
	u.KubectlIn(t, byHand(name, group, 5), "apply", "-f", "-")
	follows := "againstRef: {name: " + name + "}"
	require.Contains(t, u.KubectlFails(t, schema(name+"-1.1.0", group, 4, follows), "apply", "-f", "-"), "a breaking change needs an approval")
	_, warnings = u.KubectlSaid(t, asking(schema(name+"-1.1.0", group, 4, follows), "because"), "apply", "-f", "-")
	require.Contains(t, warnings, `Operator "`+name+`" of OperatorVersion "`+name+`-1.1.0" does not exist`)
	require.Contains(t, field(t, u, "crdschema", name+"-1.1.0.widgets."+group, outcome), "Pending AwaitingApproval")
}
