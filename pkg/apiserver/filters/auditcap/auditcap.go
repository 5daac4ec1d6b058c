// SPDX-License-Identifier: Apache-2.0

// Package auditcap keeps write-only fields out of audit records, whatever the audit policy says.
package auditcap

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Rule names what is never logged with its body.
type Rule struct {
	// Resource has a write-only field.
	Resource schema.GroupResource
	// Subresource answers with it; empty when none does.
	Subresource string
}

type capped struct {
	audit.PolicyRuleEvaluator
	rules []Rule
}

// Wrap returns an evaluator that is never above Metadata where a body would show a write-only field: in patches, which
// are logged as they came, and in the subresource that answers with the field. Other bodies are logged as converted
// objects, which do not have the field.
func Wrap(inner audit.PolicyRuleEvaluator, rules ...Rule) audit.PolicyRuleEvaluator {
	if inner == nil {
		return nil
	}
	return &capped{PolicyRuleEvaluator: inner, rules: rules}
}

// EvaluatePolicyRule asks the policy and lowers its answer where needed.
func (c *capped) EvaluatePolicyRule(attributes authorizer.Attributes) audit.RequestAuditConfig {
	config := c.PolicyRuleEvaluator.EvaluatePolicyRule(attributes)
	if !config.Level.Less(auditinternal.LevelRequest) && c.sensitive(attributes) {
		config.Level = auditinternal.LevelMetadata
	}
	return config
}

func (c *capped) sensitive(attributes authorizer.Attributes) bool {
	for _, rule := range c.rules {
		if attributes.GetAPIGroup() != rule.Resource.Group || attributes.GetResource() != rule.Resource.Resource {
			continue
		}
		if attributes.GetVerb() == "patch" || (rule.Subresource != "" && attributes.GetSubresource() == rule.Subresource) {
			return true
		}
	}
	return false
}
