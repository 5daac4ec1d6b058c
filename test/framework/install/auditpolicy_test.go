// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

func TestShippedAuditPolicy_Levels(t *testing.T) {
	root, err := findRoot()
	require.NoError(t, err)
	file, err := os.Open(filepath.Join(root, base, "apiserver-audit.yaml"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	all, err := decode(file)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "policy")
	require.NoError(t, writeAuditPolicy(all, path))
	loaded, err := policy.LoadPolicyFromFile(path)
	require.NoError(t, err)
	rules := policy.NewPolicyRuleEvaluator(loaded)

	const takaro, release = "takaro.roadstead.dev", "release.roadstead.dev"
	for _, tc := range []struct {
		verb, group, resource, subresource string
		want                               auditinternal.Level
	}{
		{"get", release, "approvals", "", auditinternal.LevelNone},
		{"list", takaro, "domains", "", auditinternal.LevelNone},
		{"create", release, "approvals", "", auditinternal.LevelRequestResponse},
		{"delete", release, "approvals", "", auditinternal.LevelRequestResponse},
		{"create", release, "approvals", "approve", auditinternal.LevelRequestResponse},
		{"create", release, "approvals", "reject", auditinternal.LevelRequestResponse},
		{"update", release, "approvals", "status", auditinternal.LevelMetadata},
		{"create", release, "operators", "", auditinternal.LevelRequest},
		{"patch", release, "operatorversions", "", auditinternal.LevelRequest},
		{"patch", release, "operators", "status", auditinternal.LevelMetadata},
		{"create", release, "crdschemas", "", auditinternal.LevelMetadata},
		{"create", release, "crdsnapshots", "", auditinternal.LevelMetadata},
		{"create", release, "compatibilityreviews", "", auditinternal.LevelMetadata},
		{"create", release, "crdguard", "", auditinternal.LevelMetadata},
		{"create", takaro, "domains", "", auditinternal.LevelRequest},
		{"update", takaro, "domains", "status", auditinternal.LevelMetadata},
	} {
		got := rules.EvaluatePolicyRule(authorizer.AttributesRecord{
			ResourceRequest: true, Verb: tc.verb, APIGroup: tc.group, APIVersion: "v1alpha1", Resource: tc.resource, Subresource: tc.subresource,
		})
		require.Equal(t, tc.want, got.Level, "%v", tc)
	}
	require.Equal(t, auditinternal.LevelNone, rules.EvaluatePolicyRule(authorizer.AttributesRecord{Verb: "get", Path: "/metrics"}).Level)
}
