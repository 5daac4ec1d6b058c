// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// usersOf returns the Users of a Domain, by name.
func usersOf(ctx context.Context, reader client.Reader, domain *v1alpha1.Domain) ([]v1alpha1.User, error) {
	list := &v1alpha1.UserList{}
	if err := reader.List(ctx, list, client.InNamespace(domain.Namespace)); err != nil {
		return nil, fmt.Errorf("listing the Users of the Domain: %w", err)
	}
	users := slices.DeleteFunc(list.Items, func(user v1alpha1.User) bool { return user.Spec.DomainRef.Name != domain.Name })
	slices.SortFunc(users, func(a, b v1alpha1.User) int { return strings.Compare(a.Name, b.Name) })
	return users, nil
}

// countUsers puts the numbers of the Domain's Users into the status.
func (r *reconciler) countUsers(ctx context.Context, domain *v1alpha1.Domain) error {
	users, err := usersOf(ctx, r.Client, domain)
	if err != nil {
		return err
	}
	counts := v1alpha1.UserCounts{Total: int32(len(users))}
	for i := range users {
		if meta.IsStatusConditionTrue(users[i].Status.Conditions, v1alpha1.ConditionReady) {
			counts.Ready++
		}
	}
	domain.Status.Users = counts
	return nil
}

// userDependents are the Users of a Domain.
var userDependents = dependents{
	kind: "User", reason: v1alpha1.ReasonDeletingUsers,
	list: func(ctx context.Context, reader client.Reader, domain *v1alpha1.Domain) ([]client.Object, error) {
		users, err := usersOf(ctx, reader, domain)
		return objects(users), err
	},
}

// domainOfUser maps a User to its Domain, which counts it and may wait for it to go.
func domainOfUser(_ context.Context, user client.Object) []reconcile.Request {
	name := user.(*v1alpha1.User).Spec.DomainRef.Name
	return []reconcile.Request{base.RequestFor(user.GetNamespace(), name)}
}

// userCounts lets through the changes of a User by which its Domain's counts change.
var userCounts = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, now := e.ObjectOld.(*v1alpha1.User), e.ObjectNew.(*v1alpha1.User)
	ready := func(user *v1alpha1.User) bool {
		return meta.IsStatusConditionTrue(user.Status.Conditions, v1alpha1.ConditionReady)
	}
	return ready(before) != ready(now)
}}
