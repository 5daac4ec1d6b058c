// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/pkg/util/text"
)

// Access checks permissions of the users whose requests are reviewed.
type Access interface {
	// MayList reports whether a user may list a resource in all namespaces. An error counts as no.
	MayList(ctx context.Context, user authenticationv1.UserInfo, resource schema.GroupVersionResource) (bool, error)
}

// unnamed returns the reason why the objects of a CRD are not named to a user, or "" if they may be named.
// The guard lists objects with the permissions of the server, and a user who may change CRDs does not need
// permission to read every object. A review calls Access at most once, and not at all if no object could
// be named.
func (g *Guard) unnamed(ctx context.Context, user authenticationv1.UserInfo, definition *apiextensionsv1.CustomResourceDefinition) string {
	name := text.Line(user.Username, 100)
	unknown := fmt.Sprintf("the objects are not named because it could not be determined whether user %s may list them", name)
	versions := servedVersions(definition)
	switch {
	case len(versions) == 0:
		return "" // Nothing can be listed.
	case g.options.Access == nil:
		return unknown
	}
	resource := schema.GroupVersionResource{Group: definition.Spec.Group, Version: versions[0], Resource: definition.Spec.Names.Plural}
	allowed, err := g.options.Access.MayList(ctx, user, resource)
	switch {
	case err != nil:
		return unknown
	case !allowed:
		return fmt.Sprintf("the objects are not named because user %s may not list them", name)
	}
	return ""
}
