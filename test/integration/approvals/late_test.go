// SPDX-License-Identifier: Apache-2.0

//go:build integration

package approvals

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/release"
)

// TestAVersionThatComesLaterIsJudged creates a CRDSchema before its OperatorVersion, so that the
// baseline of the comparison is unknown at first.
func TestAVersionThatComesLaterIsJudged(t *testing.T) {
	operator := env.Name("op")
	kubectl(t, admin, fmt.Sprintf("apiVersion: %s/v1alpha1\nkind: Operator\nmetadata: {name: %s}\nspec: {chart: {repository: "+
		"https://charts.example.com, name: widgets}, namespace: widgets}\n", group, operator), "create", "-f", "-")
	version := func(number string) string {
		return fmt.Sprintf("apiVersion: %s/v1alpha1\nkind: OperatorVersion\nmetadata: {name: %s-%s}\nspec: {operatorRef: {name: %s}, "+
			"version: %s, crdSource: Manual}\n", group, operator, number, operator, number)
	}
	brought := func(number string, longest int) (name, manifest string) {
		name = operator + "-" + number + ".widgets.approvals.example.com"
		return name, schema(name, definition("widgets", longest), "", "") + "\n  operatorVersionRef: {name: " + operator + "-" + number + "}\n"
	}
	_, first := brought("1.0.0", 100)
	name, second := brought("2.0.0", 10)
	kubectl(t, admin, version("1.0.0"), "create", "-f", "-")
	kubectl(t, admin, first, "create", "-f", "-")
	kubectl(t, admin, second, "create", "-f", "-")
	require.Equal(t, "OperatorVersionNotFound", field(t, "crdschema", name, `.status.conditions[?(@.type=="Ready")].reason`))
	kubectl(t, admin, version("2.0.0"), "create", "-f", "-")
	awaitField(t, "crdschema", name, ".status.approval", "Pending")
	require.Equal(t, "the OperatorVersion was created later", field(t, "crdschema", name,
		`.metadata.annotations.roadstead\.dev/request-approval`))
	approval := release.ApprovalName("CRDSchema", field(t, "crdschema", name, ".metadata.uid"), "BreakingCRDChange", "")
	awaitField(t, "approval", approval, ".status.decision", "Pending")
	require.Equal(t, "the OperatorVersion was created later", field(t, "approval", approval, ".spec.reason"))
	says(t, "bob", "approve", approval, "seen")
	awaitField(t, "crdschema", name, ".status.approval", "Approved")
	awaitEvent(t, name, "JudgedLate")
}
