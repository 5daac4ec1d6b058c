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

// Access answers from an authorizer whether users may list objects.
type Access struct{ authorizer authorizer.Authorizer }

// NewAccess returns the access that an authorizer decides.
func NewAccess(authorizer authorizer.Authorizer) Access { return Access{authorizer} }

// MayList reports whether the user that a review names may list a resource in all namespaces. Whoever sent the review must
// be allowed to as well, because the name is only what they wrote into it. kube-apiserver sends reviews as a member of
// system:masters, about whom the cluster is not asked.
func (a Access) MayList(ctx context.Context, named authenticationv1.UserInfo, resource schema.GroupVersionResource) (bool, error) {
	sender, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return false, errors.New("the sender of the review is not known")
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
