// SPDX-License-Identifier: Apache-2.0

//go:build integration

package approvals

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/test/framework"
)

// definition returns the manifest of a CRD whose names have at most longest characters. It is JSON,
// which is also valid YAML.
func definition(plural string, longest int) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",`+
		`"metadata":{"name":"%[1]s.approvals.example.com"},`+
		`"spec":{"group":"approvals.example.com","scope":"Namespaced","names":{"plural":"%[1]s","singular":"%[1]s","kind":"Widget",`+
		`"listKind":"WidgetList"},`+
		`"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",`+
		`"properties":{"spec":{"type":"object","properties":{"name":{"type":"string","maxLength":%[2]d}}}}}}}]}}`, plural, longest)
}

// schema returns the manifest of a CRDSchema. against and reason may be empty.
func schema(name, definition, against, reason string) string {
	lines := []string{"apiVersion: " + group + "/v1alpha1", "kind: CRDSchema", "metadata:", "  name: " + name}
	if reason != "" {
		lines = append(lines, "  annotations: {roadstead.dev/request-approval: "+reason+"}")
	}
	lines = append(lines, "spec:", "  definition: "+definition)
	if against != "" {
		lines = append(lines, "  againstRef: {name: "+against+"}")
	}
	return strings.Join(lines, "\n")
}

// question is a breaking change by ann, and its Approval.
type question struct{ old, new, approval string }

// write applies a breaking change as ann.
func write(t *testing.T) question {
	t.Helper()
	q := question{old: env.Name("old"), new: env.Name("new")}
	kubectl(t, "ann", schema(q.old, definition("widgets", 100), "", ""), "create", "-f", "-")
	kubectl(t, "ann", schema(q.new, definition("widgets", 10), q.old, "nobody uses long names"), "create", "-f", "-")
	q.approval = release.ApprovalName("CRDSchema", field(t, "crdschema", q.new, ".metadata.uid"), "BreakingCRDChange", "")
	return q
}

// ask is write, and waits until the Approval is Pending.
func ask(t *testing.T) question {
	t.Helper()
	q := write(t)
	awaitField(t, "approval", q.approval, ".status.decision", "Pending")
	return q
}

// say sends a decision in the format of the documentation.
func say(t *testing.T, user, verb, approval, reason string, query ...string) (string, error) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"apiVersion": group + "/v1alpha1", "kind": "ApprovalDecision", "reason": reason})
	require.NoError(t, err)
	path := "/apis/" + group + "/v1alpha1/approvals/" + approval + "/" + verb
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	out, problems, err := try(t, user, string(body), "create", "--raw", path, "-f", "-")
	return out + problems, err
}

// says requires that a decision is accepted.
func says(t *testing.T, user, verb, approval, reason string, query ...string) string {
	t.Helper()
	out, err := say(t, user, verb, approval, reason, query...)
	require.NoError(t, err)
	return out
}

// saysInVain requires that a decision is rejected with the given text.
func saysInVain(t *testing.T, user, verb, approval, reason, text string) {
	t.Helper()
	out, err := say(t, user, verb, approval, reason)
	require.Error(t, err, "it counts: %s", out)
	require.Contains(t, out, text)
}

// awaitEvent waits for an event about an object.
func awaitEvent(t *testing.T, name, reason string) {
	t.Helper()
	framework.Await(t, "event "+reason+" about "+name, func() error {
		out, _, err := try(t, admin, "", "get", "events", "-n", "default", "--field-selector", "involvedObject.name="+name+
			",reason="+reason, "-o", "name")
		if err == nil && strings.TrimSpace(out) == "" {
			err = fmt.Errorf("there is none")
		}
		return err
	})
}
