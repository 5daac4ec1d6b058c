// SPDX-License-Identifier: Apache-2.0

//go:build integration

package uninstall

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/discovery"

	"roadstead.dev/roadstead/test/framework/rights"
)

// requireEveryKind requires rights for every kind of the installation. A served kind that is
// missing in the ClusterRole would block every uninstallation.
func requireEveryKind(t *testing.T) {
	t.Helper()
	role, err := env.Admin.RbacV1().ClusterRoles().Get(t.Context(), account, metav1.GetOptions{})
	require.NoError(t, err)
	kinds := 0
	services := strings.Fields(env.Kubectl(t, "", "get", "apiservices", "-o",
		`jsonpath={range .items[?(@.spec.service.name=="roadstead-apiserver")]}{.metadata.name}{" "}{end}`))
	for _, service := range services {
		assert.True(t, slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
			return slices.Contains(rule.ResourceNames, service) && slices.Contains(rule.Verbs, "delete")
		}), "nobody may delete APIService %s", service)
		version, group, _ := strings.Cut(service, ".")
		served, err := env.Admin.Discovery().ServerResourcesForGroupVersion(group + "/" + version)
		require.NoError(t, err)
		for _, kind := range discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "delete"}},
			[]*metav1.APIResourceList{served})[0].APIResources {
			kinds++
			for _, verb := range []string{"list", "delete"} {
				assert.True(t, slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
					return slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, kind.Name) && slices.Contains(rule.Verbs, verb)
				}), "nobody may %s %s.%s", verb, kind.Name, group)
			}
		}
	}
	require.Len(t, services, 2)
	require.Greater(t, kinds, 7)
}

// notUsedHere are rights that no test before this one uses, each with the test that uses it.
var notUsedHere = map[string]string{
	account + ": patch configmaps": "pkg/uninstall/holds_test.go: TestDeleteAll_ReleasesHolds",
	account + ": list storeinventories.takaro.roadstead.dev": "pkg/uninstall/holds_test.go: " +
		"TestRun_ReadsTheInventoryAgainBeforeTheStoreIsDeleted",
}

// TestEveryRightIsUsed is the last test. It verifies that each right was used by the previous tests
// and that none was missing.
func TestEveryRightIsUsed(t *testing.T) {
	granted, err := rights.Load(filepath.Join(root, "artifacts/deploy/uninstall"))
	require.NoError(t, err)
	used := usedRights(t)
	require.Greater(t, len(used), 20, "run it with the others")
	for _, right := range granted {
		_, elsewhere := notUsedHere[right.String()]
		assert.True(t, used[right] || elsewhere, "granted, though nothing used it: %s", right)
	}
}

// usedRights returns the used rights according to the audit log of the cluster, and requires that
// no request was forbidden.
func usedRights(t *testing.T) map[rights.Right]bool {
	t.Helper()
	file, err := os.Open(env.Cluster.AuditLog())
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	used := map[rights.Right]bool{}
	for lines := bufio.NewReaderSize(file, 1<<20); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return used
		}
		require.NoError(t, err)
		if !bytes.Contains(line, []byte(user)) {
			continue
		}
		var event auditv1.Event
		require.NoError(t, json.Unmarshal(line, &event))
		if event.ObjectRef == nil || event.Stage == auditv1.StageRequestReceived {
			continue
		}
		if event.ObjectRef.Resource == "subjectaccessreviews" {
			if right, ok := reviewed(t, &event); ok {
				used[right] = true
			}
			continue
		}
		if event.User.Username != user {
			continue
		}
		assert.NotEqualf(t, "forbid", event.Annotations["authorization.k8s.io/decision"], "%s %s is forbidden", event.Verb, event.RequestURI)
		ref := event.ObjectRef
		used[rights.Right{Role: account, Resource: rights.Resource(ref.APIGroup, ref.Resource, ref.Subresource), Verb: event.Verb}] = true
	}
}

// user is the user name of the account in requests and reviews.
const user = "system:serviceaccount:roadstead-system:" + account

// reviewed returns the right that roadstead-apiserver reviewed for the account. kube-apiserver sees
// no other use of a verb that only Roadstead defines.
func reviewed(t *testing.T, event *auditv1.Event) (rights.Right, bool) {
	t.Helper()
	if event.RequestObject == nil {
		return rights.Right{}, false
	}
	var review authorizationv1.SubjectAccessReview
	require.NoError(t, json.Unmarshal(event.RequestObject.Raw, &review))
	asked := review.Spec.ResourceAttributes
	if review.Spec.User != user || asked == nil {
		return rights.Right{}, false
	}
	return rights.Right{Role: account, Resource: rights.Resource(asked.Group, asked.Resource, asked.Subresource), Verb: asked.Verb}, true
}
