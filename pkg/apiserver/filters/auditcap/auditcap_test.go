// SPDX-License-Identifier: Apache-2.0

package auditcap

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

type fixed auditinternal.Level

func (f fixed) EvaluatePolicyRule(authorizer.Attributes) audit.RequestAuditConfig {
	return audit.RequestAuditConfig{Level: auditinternal.Level(f), OmitStages: []auditinternal.Stage{"x"}}
}

func TestLevels(t *testing.T) {
	rule := Rule{Resource: schema.GroupResource{Group: "g", Resource: "users"}, Subresource: "credentials"}
	for name, c := range map[string]struct {
		policy                             auditinternal.Level
		group, resource, subresource, verb string
		want                               auditinternal.Level
	}{
		"patch":                  {auditinternal.LevelRequestResponse, "g", "users", "", "patch", auditinternal.LevelMetadata},
		"patch, request only":    {auditinternal.LevelRequest, "g", "users", "", "patch", auditinternal.LevelMetadata},
		"patch of the status":    {auditinternal.LevelRequest, "g", "users", "status", "patch", auditinternal.LevelMetadata},
		"patch, lower policy":    {auditinternal.LevelMetadata, "g", "users", "", "patch", auditinternal.LevelMetadata},
		"patch, no policy":       {auditinternal.LevelNone, "g", "users", "", "patch", auditinternal.LevelNone},
		"credentials":            {auditinternal.LevelRequestResponse, "g", "users", "credentials", "create", auditinternal.LevelMetadata},
		"create":                 {auditinternal.LevelRequestResponse, "g", "users", "", "create", auditinternal.LevelRequestResponse},
		"patch of another kind":  {auditinternal.LevelRequestResponse, "g", "domains", "", "patch", auditinternal.LevelRequestResponse},
		"patch in another group": {auditinternal.LevelRequestResponse, "", "users", "", "patch", auditinternal.LevelRequestResponse},
		"credentials of another kind": {auditinternal.LevelRequestResponse, "g", "domains", "credentials", "create",
			auditinternal.LevelRequestResponse},
	} {
		got := Wrap(fixed(c.policy), rule).EvaluatePolicyRule(authorizer.AttributesRecord{APIGroup: c.group, Resource: c.resource,
			Subresource: c.subresource, Verb: c.verb, ResourceRequest: true})
		assert.Equal(t, c.want, got.Level, name)
		assert.Len(t, got.OmitStages, 1, "the rest of the answer stays")
	}
	assert.Nil(t, Wrap(nil, rule), "no audit is no audit")
}
