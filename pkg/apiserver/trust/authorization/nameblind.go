// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"

	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// nameBlind first checks the permission without the name of the object, so that one cached decision
// covers all objects of a resource in a namespace, and checks it with the name only if that was not
// allowed. With RBAC the decision is the same: a user with a permission for all objects has it for
// each object, because RBAC has no deny rules. It differs if an authorizer of the cluster denies
// single names to a user that has the permission for all others: the request would be allowed.
func nameBlind(host authorizer.Authorizer) authorizer.Authorizer {
	return authorizer.AuthorizerFunc(func(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		if !a.IsResourceRequest() || a.GetName() == "" {
			return host.Authorize(ctx, a)
		}
		decision, reason, err := host.Authorize(ctx, unnamed{a})
		// After an error a second review would only double the wait.
		if decision == authorizer.DecisionAllow || err != nil {
			return decision, reason, err
		}
		return host.Authorize(ctx, a)
	})
}

// unnamed is a request for all objects. Everything else is unchanged: the subresource, and
// selectors, which only restrict it.
type unnamed struct {
	authorizer.Attributes
}

func (unnamed) GetName() string { return "" }
