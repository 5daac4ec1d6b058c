// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"

	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// nameBlind asks host without the object's name first, so that one remembered answer serves all objects of a resource in a
// namespace, and with the name only when that was not allowed. With RBAC the answer is the same: who may do something to
// all objects may do it to one, since RBAC takes nothing away. It is not the same where an authorizer of the host refuses
// single names to somebody who may do it to all others: he would be let pass.
func nameBlind(host authorizer.Authorizer) authorizer.Authorizer {
	return authorizer.AuthorizerFunc(func(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		if !a.IsResourceRequest() || a.GetName() == "" {
			return host.Authorize(ctx, a)
		}
		decision, reason, err := host.Authorize(ctx, unnamed{a})
		// After an error a second question would only double the wait for an answer that does not come.
		if decision == authorizer.DecisionAllow || err != nil {
			return decision, reason, err
		}
		return host.Authorize(ctx, a)
	})
}

// unnamed is a request for all objects. Everything else stays: the subresource, and selectors, which only narrow it.
type unnamed struct {
	authorizer.Attributes
}

func (unnamed) GetName() string { return "" }
