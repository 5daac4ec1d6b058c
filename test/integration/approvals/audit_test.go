// SPDX-License-Identifier: Apache-2.0

//go:build integration

package approvals

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"roadstead.dev/roadstead/test/framework"
)

// audited returns the event of the single request that created an object, or posted to a
// subresource of it, from the audit log of roadstead-apiserver with the shipped policy.
func audited(t *testing.T, resource, subresource, name string) auditv1.Event {
	t.Helper()
	var found auditv1.Event
	framework.Await(t, "the audit event of "+resource+"/"+name+" "+subresource, func() error {
		text, err := os.ReadFile(env.Roadstead.AuditLog())
		require.NoError(t, err)
		for line := range bytes.Lines(text) {
			var event auditv1.Event
			if json.Unmarshal(line, &event) != nil || event.Verb != "create" || event.ObjectRef == nil || event.ObjectRef.Resource != resource ||
				event.ObjectRef.Subresource != subresource || event.ObjectRef.Name != name {
				continue
			}
			found = event
			return nil
		}
		return errors.New("it is not in the log")
	})
	return found
}

func TestAudit_Approval(t *testing.T) {
	q := ask(t)
	says(t, "bob", "approve", q.approval, "I have read it")

	created := audited(t, "approvals", "", q.approval)
	require.Equal(t, auditv1.LevelRequestResponse, created.Level)
	require.Contains(t, string(created.RequestObject.Raw), q.new)
	require.Contains(t, string(created.ResponseObject.Raw), `"requestedBy":"ann"`)

	decided := audited(t, "approvals", "approve", q.approval)
	require.Equal(t, auditv1.LevelRequestResponse, decided.Level)
	require.Equal(t, "bob", decided.User.Username)
	require.Contains(t, string(decided.RequestObject.Raw), `"reason":"I have read it"`)
	require.Contains(t, string(decided.ResponseObject.Raw), `"kind":"ApprovalDecision"`)
	require.Equal(t, "Approved", decided.Annotations[group+"/decision"])
	require.Regexp(t, "^sha256:", decided.Annotations[group+"/digest"])

	rejected := ask(t)
	says(t, "bob", "reject", rejected.approval, "too short")
	require.Contains(t, string(audited(t, "approvals", "reject", rejected.approval).RequestObject.Raw), `"reason":"too short"`)

	asked := audited(t, "crdschemas", "", q.new)
	require.Equal(t, auditv1.LevelMetadata, asked.Level, "definitions are too large for a log")
	require.Equal(t, "ann", asked.User.Username)
}
