// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"
)

// probe checks everything in needs. What it has no permission to check counts as available; the
// part that needs it then reports its own errors.
func probe(ctx context.Context, client kubernetes.Interface, needs []Need) (Facts, error) {
	facts := Facts{Unserved: sets.New[schema.GroupVersionResource](), Denied: sets.New[Right]()}
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		return Facts{}, fmt.Errorf("version: %w", err)
	}
	facts.Version = version.GitVersion
	served := map[schema.GroupVersion]sets.Set[string]{}
	asked := sets.New[Right]()
	for _, need := range needs {
		for _, right := range need.Rights {
			if asked.Has(right) {
				continue
			}
			asked.Insert(right)
			gv := right.Resource.GroupVersion()
			if _, known := served[gv]; !known {
				if served[gv], err = resources(client, gv); err != nil {
					return Facts{}, err
				}
			}
			if served[gv] != nil && !served[gv].Has(right.Resource.Resource) {
				facts.Unserved.Insert(right.Resource)
				continue
			}
			allowed, err := may(ctx, client, right)
			if err != nil {
				return Facts{}, err
			}
			if !allowed {
				facts.Denied.Insert(right)
			}
		}
	}
	return facts, nil
}

// resources returns the names of the resources of a version: empty if the version is not served,
// nil if discovery is forbidden.
func resources(client kubernetes.Interface, gv schema.GroupVersion) (sets.Set[string], error) {
	list, err := client.Discovery().ServerResourcesForGroupVersion(gv.String())
	switch {
	case apierrors.IsNotFound(err):
		return sets.New[string](), nil
	case apierrors.IsForbidden(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("discovery of %s: %w", gv, err)
	}
	names := sets.New[string]()
	for _, resource := range list.APIResources {
		names.Insert(resource.Name)
	}
	return names, nil
}

func may(ctx context.Context, client kubernetes.Interface, right Right) (bool, error) {
	review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: right.Resource.Group, Version: right.Resource.Version, Resource: right.Resource.Resource,
			Subresource: right.Subresource, Verb: right.Verb, Namespace: right.Namespace, Name: right.Name,
		}},
	}, metav1.CreateOptions{})
	if apierrors.IsForbidden(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("check the permission to %s: %w", right, err)
	}
	return review.Status.Allowed, nil
}
