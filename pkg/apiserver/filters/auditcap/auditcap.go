// SPDX-License-Identifier: Apache-2.0

// Package auditcap keeps write-only fields out of audit records, independent of the audit policy.
package auditcap

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Rule names requests that are never logged with their body.
type Rule struct {
	// Resource has a write-only field.
	Resource schema.GroupResource
	// Subresource returns the field; empty if no subresource does.
	Subresource string
}

type capped struct {
	audit.PolicyRuleEvaluator
	rules []Rule
}

// Wrap returns an evaluator that limits the level to Metadata if a body would contain a write-only
// field: for patches, which are logged as received, and for the subresource that returns the field.
// Other bodies are logged as converted objects, which do not have the field.
func Wrap(inner audit.PolicyRuleEvaluator, rules ...Rule) audit.PolicyRuleEvaluator {
	if inner == nil {
		return nil
	}
	return &capped{PolicyRuleEvaluator: inner, rules: rules}
}

// EvaluatePolicyRule evaluates the policy and lowers the level if needed.
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
