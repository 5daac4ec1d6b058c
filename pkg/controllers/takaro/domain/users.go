// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// userDependents describes the Users of a Domain.
var userDependents = dependents{
	kind: "User", reason: v1alpha1.ReasonDeletingUsers, none: &v1alpha1.UserList{},
	domainOf: func(object client.Object) string { return object.(*v1alpha1.User).Spec.DomainRef.Name },
}

// countUsers sets the numbers of the Domain's Users in the status.
func (r *reconciler) countUsers(ctx context.Context, domain *v1alpha1.Domain) error {
	users, err := userDependents.list(ctx, r.Client, domain)
	if err != nil {
		return err
	}
	counts := v1alpha1.UserCounts{Total: int32(len(users))}
	for _, user := range users {
		if meta.IsStatusConditionTrue(user.(*v1alpha1.User).Status.Conditions, v1alpha1.ConditionReady) {
			counts.Ready++
		}
	}
	domain.Status.Users = counts
	return nil
}

// userCounts accepts the changes of a User that change its Domain's counts.
var userCounts = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, now := e.ObjectOld.(*v1alpha1.User), e.ObjectNew.(*v1alpha1.User)
	ready := func(user *v1alpha1.User) bool {
		return meta.IsStatusConditionTrue(user.Status.Conditions, v1alpha1.ConditionReady)
	}
	return ready(before) != ready(now)
}}
