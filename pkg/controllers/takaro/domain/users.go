// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// shownUsers is how many names of Users a message holds.
const shownUsers = 5

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
	users, err := usersOf(ctx, r.client, domain)
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

// removeUsers deletes the Users of a Domain that is being deleted and returns those that are waited for. Later ones than
// the deletion are not: a tool might make them for ever. Admission refuses those; one that slipped through goes with its
// owner.
func (r *reconciler) removeUsers(ctx context.Context, domain *v1alpha1.Domain) ([]string, error) {
	awaited, err := r.deleteUsers(ctx, r.client, domain)
	if err != nil || len(awaited) > 0 {
		return awaited, err
	}
	// None in the cache, which may be behind.
	return r.deleteUsers(ctx, r.live, domain)
}

func (r *reconciler) deleteUsers(ctx context.Context, reader client.Reader, domain *v1alpha1.Domain) ([]string, error) {
	users, err := usersOf(ctx, reader, domain)
	if err != nil {
		return nil, err
	}
	var awaited []string
	for i := range users {
		user := &users[i]
		if !user.CreationTimestamp.After(domain.DeletionTimestamp.Time) {
			awaited = append(awaited, user.Name)
		}
		if user.DeletionTimestamp != nil {
			continue
		}
		err := r.client.Delete(ctx, user, client.Preconditions{UID: &user.UID})
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("deleting User %q of the Domain: %w", user.Name, err)
		}
	}
	return awaited, nil
}

// reportUsers says for which Users a Domain that is being deleted waits. The end of each wakes it.
func (r *reconciler) reportUsers(ctx context.Context, a *attempt, stored *v1alpha1.Domain, awaited []string) (reconcile.Result, error) {
	domain := a.domain
	shown := strings.Join(awaited[:min(len(awaited), shownUsers)], ", ")
	if len(awaited) > shownUsers {
		shown += ", …"
	}
	set(domain, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDeletingUsers, fmt.Sprintf(
		"waiting for %d Users to go before the Takaro domain is dealt with: %s; look at their conditions", len(awaited), shown))
	domain.Status.ObservedGeneration = domain.Generation
	domain.Status.Phase = phaseOf(domain)
	if err := r.countUsers(ctx, domain); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: foreignWait}, r.write(ctx, a, stored)
}

// domainOfUser maps a User to its Domain, which counts it and may wait for it to go.
func domainOfUser(_ context.Context, user client.Object) []reconcile.Request {
	name := user.(*v1alpha1.User).Spec.DomainRef.Name
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: user.GetNamespace(), Name: name}}}
}
