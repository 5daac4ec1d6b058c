// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"roadstead.dev/roadstead/test/framework"
)

// audited reads the events of one object with one verb from an audit log. kube-apiserver does not
// know the name of the object in a create, because it does not read the body.
func audited(t *testing.T, path, namespace, name, verb string) []auditv1.Event {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	var found []auditv1.Event
	for lines.Scan() {
		var event auditv1.Event
		if json.Unmarshal(lines.Bytes(), &event) != nil || event.Stage != auditv1.StageResponseComplete {
			continue // the last line may be incomplete
		}
		if ref := event.ObjectRef; ref != nil && event.Verb == verb && ref.APIGroup == group && ref.Namespace == namespace &&
			(ref.Name == name || verb == "create" && ref.Name == "") {
			found = append(found, event)
		}
	}
	require.NoError(t, lines.Err())
	return found
}

// awaitAudited returns the single event of an object with one verb.
func awaitAudited(t *testing.T, path, namespace, name, verb string) auditv1.Event {
	t.Helper()
	var events []auditv1.Event
	framework.Await(t, fmt.Sprintf("%s of %s in %s", verb, name, path), func() error {
		if events = audited(t, path, namespace, name, verb); len(events) != 1 {
			return errors.New(fmt.Sprint(len(events), " events"))
		}
		return nil
	})
	return events[0]
}

// TestC15Audit verifies that Roadstead logs request bodies under the audit ID of kube-apiserver,
// which itself logs only that a request was proxied (kubernetes/kubernetes#103889).
func TestC15Audit(t *testing.T) {
	t.Run("the shipped policy", func(t *testing.T) {
		u := editor(t)
		_, err := u.Domains().Create(t.Context(), newDomain("shipped"), metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = u.Domains().Get(t.Context(), "shipped", metav1.GetOptions{})
		require.NoError(t, err)
		require.NoError(t, u.Domains().Delete(t.Context(), "shipped", metav1.DeleteOptions{}))

		created := awaitAudited(t, env.Roadstead.AuditLog(), u.Namespace, "shipped", "create")
		assert.Equal(t, auditv1.LevelRequest, created.Level)
		assert.Equal(t, u.Name(), created.User.Username, "the caller, not the aggregation layer")
		assert.Contains(t, string(created.RequestObject.Raw), "https://api.takaro.test")
		assert.Nil(t, created.ResponseObject)
		hosts := awaitAudited(t, env.Cluster.AuditLog(), u.Namespace, "shipped", "create")
		assert.Equal(t, hosts.AuditID, created.AuditID)
		awaitAudited(t, env.Roadstead.AuditLog(), u.Namespace, "shipped", "delete")
		awaitAudited(t, env.Cluster.AuditLog(), u.Namespace, "shipped", "get")
		assert.Empty(t, audited(t, env.Roadstead.AuditLog(), u.Namespace, "shipped", "get"), "reads are in the host's log")
	})
	t.Run("RequestResponse", func(t *testing.T) {
		log := filepath.Join(t.TempDir(), "audit.log")
		policy := framework.File(t, "policy.yaml", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n", 0o600)
		restart(t, "--audit-policy-file="+policy, "--audit-log-path="+log)
		u := editor(t)
		_, err := u.Domains().Create(t.Context(), newDomain("full"), metav1.CreateOptions{})
		require.NoError(t, err)
		ours := awaitAudited(t, log, u.Namespace, "full", "create")
		assert.Contains(t, string(ours.RequestObject.Raw), "https://api.takaro.test")
		assert.Contains(t, string(ours.ResponseObject.Raw), `"uid"`)
		assert.Equal(t, awaitAudited(t, env.Cluster.AuditLog(), u.Namespace, "full", "create").AuditID, ours.AuditID)
	})
}
