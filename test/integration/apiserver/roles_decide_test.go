// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"

	hub "roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/test/framework/install"
)

const (
	template = checkout + "/artifacts/examples/release/approver.yaml"
	// inTemplate is the name of the Approval in the template, which the test replaces.
	inTemplate = "crdschema-7b6d6d7e-c93-breakingcrdchange"
)

// boats returns the manifest of a CRD whose names have at most longest characters. It is JSON,
// which is also valid YAML.
func boats(longest int) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",`+
		`"metadata":{"name":"boats.roles.example.com"},`+
		`"spec":{"group":"roles.example.com","scope":"Namespaced","names":{"plural":"boats","singular":"boat","kind":"Boat",`+
		`"listKind":"BoatList"},`+
		`"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",`+
		`"properties":{"spec":{"type":"object","properties":{"name":{"type":"string","maxLength":%d}}}}}}}]}}`, longest)
}

// olga is the operator that requests approvals.
const olga = "olga"

// asks lets olga make a breaking change, creates the Approval for it as the controller does and
// returns the name of the Approval.
func asks(t *testing.T) string {
	t.Helper()
	before, after := env.Name("before"), env.Name("after")
	manifest := "apiVersion: " + releaseGroup + "/v1alpha1\nkind: CRDSchema\nmetadata: {name: %s, annotations: " +
		"{roadstead.dev/request-approval: why not}}\nspec: {definition: %s%s}\n"
	env.Kubectl(t, fmt.Sprintf(manifest, before, boats(100), ""), "create", "-f", "-", "--as="+olga)
	env.Kubectl(t, fmt.Sprintf(manifest, after, boats(10), ", againstRef: {name: "+before+"}"), "create", "-f", "-", "--as="+olga)
	uid := env.Kubectl(t, "", "get", "crdschema", after, "-o", "jsonpath={.metadata.uid}")
	name := hub.ApprovalName("CRDSchema", uid, "BreakingCRDChange", "")
	approval := fmt.Sprintf("apiVersion: %s/v1alpha1\nkind: Approval\nmetadata: {name: %s}\nspec: {subject: {kind: CRDSchema, "+
		"name: %s, uid: %s}}\n", releaseGroup, name, after, uid)
	env.Kubectl(t, approval, "create", "-f", "-", "--as=system:serviceaccount:"+install.Namespace+":roadstead-controller")
	return name
}

// said returns the arguments and the body of a decision.
func said(t *testing.T, who, verb, approval string) (body string, args []string) {
	t.Helper()
	text, err := json.Marshal(map[string]string{"apiVersion": releaseGroup + "/v1alpha1", "kind": "ApprovalDecision",
		"reason": "looked at it"})
	require.NoError(t, err)
	return string(text), []string{"create", "--raw", "/apis/" + releaseGroup + "/v1alpha1/approvals/" + approval + "/" + verb,
		"-f", "-", "--as=" + who}
}

// decision returns the decision of an Approval.
func decision(t *testing.T, approval string) string {
	t.Helper()
	return env.Kubectl(t, "", "get", "approval", approval, "-o", "jsonpath={.status.decision}")
}

// clusterwide binds a role to a user in the entire cluster.
func clusterwide(t *testing.T, who, role string, right authorizationv1.ResourceAttributes) {
	t.Helper()
	env.Kubectl(t, "", "create", "clusterrolebinding", env.Name("role"), "--clusterrole="+role, "--user="+who)
	right.Group = releaseGroup
	env.AwaitAccess(t, who, right)
}

func TestWhoDecides(t *testing.T) {
	clusterwide(t, olga, "roadstead:release-operator", authorizationv1.ResourceAttributes{Verb: "create", Resource: "crdschemas"})
	clusterwide(t, "oskar", "roadstead:release-operator", authorizationv1.ResourceAttributes{Verb: "create", Resource: "crdschemas"})
	clusterwide(t, "anna", "roadstead:release-admin", authorizationv1.ResourceAttributes{Verb: "approve", Resource: "approvals"})

	t.Run("an operator withdraws his own question and decides nothing", func(t *testing.T) {
		approval := asks(t)
		body, args := said(t, olga, "approve", approval)
		require.Contains(t, refused(t, body, args...), `User "olga" cannot create resource "approvals/approve"`)
		body, args = said(t, "oskar", "reject", approval)
		require.Contains(t, refused(t, body, args...), `oskar needs the verb "approve" on approvals.release.roadstead.dev`)
		require.Equal(t, "Pending", decision(t, approval))
		body, args = said(t, olga, "reject", approval)
		env.Kubectl(t, body, args...)
		require.Equal(t, "Rejected", decision(t, approval))
	})
	t.Run("an admin decides", func(t *testing.T) {
		approval := asks(t)
		body, args := said(t, "anna", "approve", approval)
		env.Kubectl(t, body, args...)
		require.Equal(t, "Approved", decision(t, approval))
	})
	t.Run("by the template somebody decides about one Approval", func(t *testing.T) {
		theirs, other := asks(t), asks(t)
		decidesOne(t, theirs, other)
	})
}

// decidesOne allows jane to decide one Approval with the template, and verifies that she cannot
// decide another.
func decidesOne(t *testing.T, theirs, other string) {
	t.Helper()
	content, err := os.ReadFile(template)
	require.NoError(t, err)
	require.Contains(t, string(content), inTemplate)
	env.Kubectl(t, strings.ReplaceAll(string(content), inTemplate, theirs), "create", "-f", "-")
	env.AwaitAccess(t, "jane", authorizationv1.ResourceAttributes{Verb: "approve", Group: releaseGroup, Resource: "approvals", Name: theirs})
	env.AwaitAccess(t, "jane", authorizationv1.ResourceAttributes{Verb: "list", Group: releaseGroup, Resource: "approvals"})
	for _, subresource := range []string{"approve", "reject"} {
		assert.True(t, may(t, "jane", inNone, "create", "approvals."+releaseGroup+"/"+theirs, subresource))
		assert.False(t, may(t, "jane", inNone, "create", "approvals."+releaseGroup+"/"+other, subresource))
		assert.False(t, may(t, "jane", inNone, "create", "approvals."+releaseGroup, subresource))
	}
	assert.True(t, may(t, "jane", inNone, "approve", "approvals."+releaseGroup+"/"+theirs, ""))
	assert.False(t, may(t, "jane", inNone, "approve", "approvals."+releaseGroup+"/"+other, ""))
	assert.False(t, may(t, "jane", inNone, "create", "crdschemas."+releaseGroup, ""))

	body, args := said(t, "jane", "approve", other)
	require.Contains(t, refused(t, body, args...), `User "jane" cannot create resource "approvals/approve"`)
	require.Equal(t, "Pending", decision(t, other))
	body, args = said(t, "jane", "approve", theirs)
	env.Kubectl(t, body, args...)
	require.Equal(t, "Approved", decision(t, theirs))
}
