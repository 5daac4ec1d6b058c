// SPDX-License-Identifier: Apache-2.0

//go:build integration

package approvals

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/test/framework"
)

// manifest returns the manifest of an Operator or OperatorVersion.
func manifest(kind, name, spec string) string {
	return fmt.Sprintf("apiVersion: %s/v1alpha1\nkind: %s\nmetadata: {name: %s}\nspec: %s\n", group, kind, name, spec)
}

// TestApprove_NobodyWhoLedToTheChange verifies that no requester of the change can approve it. The
// requester is recorded in each object, and the record outlives the OperatorVersion.
func TestApprove_NobodyWhoLedToTheChange(t *testing.T) {
	operator := env.Name("op")
	version := operator + "-2.0.0"
	root := []string{"--as-group=system:masters", "create", "-f", "-"}
	kubectl(t, "bob", manifest("Operator", operator,
		"{chart: {repository: https://charts.example.com, name: widgets}, namespace: widgets}"), root...)
	require.Equal(t, "bob", field(t, "operator", operator, ".status.changedBy"))
	for _, number := range []string{"1.0.0", "2.0.0"} {
		kubectl(t, "cleo", manifest("OperatorVersion", operator+"-"+number,
			"{operatorRef: {name: "+operator+"}, version: "+number+", crdSource: Manual}"), root...)
	}
	brought := func(number string, longest int) string {
		name := operator + "-" + number + ".widgets.approvals.example.com"
		kubectl(t, "ann", schema(name, definition("widgets", longest), "",
			"because")+"\n  operatorVersionRef: {name: "+operator+"-"+number+"}\n", "create", "-f", "-")
		return name
	}
	brought("1.0.0", 100)
	name := brought("2.0.0", 10)
	require.Equal(t, "ann ann", field(t, "crdschema", name, ".status.createdBy}{' '}{.status.requestedBy"))
	approval := release.ApprovalName("CRDSchema", field(t, "crdschema", name, ".metadata.uid"), "BreakingCRDChange", "")
	awaitField(t, "approval", approval, ".spec.requestedBy", "ann")
	saysInVain(t, "ann", "approve", approval, "", "ann requested this change, so another user must approve it")
	saysInVain(t, "cleo", "approve", approval, "", "cleo created OperatorVersion "+version+", so another user must approve it")
	saysInVain(t, "bob", "approve", approval, "", "bob last changed Operator "+operator+", so another user must approve it")
	kubectl(t, "dan", "", "patch", "operator", operator, "--as-group=system:masters", "--type=merge", "-p",
		`{"spec":{"versionHistoryLimit":5}}`)
	require.Equal(t, "dan", field(t, "operator", operator, ".status.changedBy"))
	says(t, "bob", "approve", approval, "seen")
	awaitField(t, "crdschema", name, ".status.approval", "Approved")
}

// TestApprove_ARevokedRightRefusesImmediately verifies that authorization decisions for the verb
// approve are not cached.
func TestApprove_ARevokedRightRefusesImmediately(t *testing.T) {
	q, binding := ask(t), env.Name("approves")
	kubectl(t, admin, "", "create", "clusterrole", binding, "--verb=approve", "--resource=approvals."+group)
	kubectl(t, admin, "", "create", "clusterrolebinding", binding, "--clusterrole="+binding, "--user=finn")
	may := func(want string) {
		t.Helper()
		framework.Await(t, "kube-apiserver to answer "+want, func() error {
			out, _, err := try(t, "finn", "", "auth", "can-i", "approve", "approvals."+group, "--all-namespaces")
			if answer, _, _ := strings.Cut(strings.TrimSpace(out), " "); answer != want {
				return errors.Join(err, fmt.Errorf("it answers %q", answer))
			}
			return nil
		})
	}
	may("yes")
	says(t, "finn", "approve", q.approval, "seen", "dryRun=All")
	kubectl(t, admin, "", "delete", "clusterrolebinding", binding)
	may("no")
	saysInVain(t, "finn", "approve", q.approval, "seen", `finn needs the verb "approve" on approvals.`+group)
	saysInVain(t, "finn", "reject", q.approval, "no", `finn needs the verb "approve" on approvals.`+group)
}
