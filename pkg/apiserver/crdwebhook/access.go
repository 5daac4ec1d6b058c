// SPDX-License-Identifier: Apache-2.0

package crdwebhook

import (
	"context"
	"errors"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Access checks with an authorizer whether users may list objects.
type Access struct{ authorizer authorizer.Authorizer }

// NewAccess returns an Access that uses an authorizer.
func NewAccess(authorizer authorizer.Authorizer) Access { return Access{authorizer} }

// MayList reports whether the user that a review names may list a resource in all namespaces. The
// sender of the review must be allowed to list it as well, because the sender chooses the name in
// the review. kube-apiserver sends reviews as a member of system:masters, which needs no check.
func (a Access) MayList(ctx context.Context, named authenticationv1.UserInfo, resource schema.GroupVersionResource) (bool, error) {
	sender, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return false, errors.New("the sender of the review is unknown")
	}
	for _, who := range []user.Info{sender, infoOf(named)} {
		decision, _, err := a.authorizer.Authorize(ctx, authorizer.AttributesRecord{
			User: who, Verb: "list", APIGroup: resource.Group, APIVersion: resource.Version, Resource: resource.Resource, ResourceRequest: true,
		})
		if decision != authorizer.DecisionAllow {
			return false, err
		}
	}
	return true, nil
}

func infoOf(named authenticationv1.UserInfo) user.Info {
	info := &user.DefaultInfo{Name: named.Username, UID: named.UID, Groups: named.Groups, Extra: map[string][]string{}}
	for key, values := range named.Extra {
		info.Extra[key] = values
	}
	return info
}
