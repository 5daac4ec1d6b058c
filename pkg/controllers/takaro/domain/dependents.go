// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/owner"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

const (
	// shownNames is the maximum number of names in a message.
	shownNames = 5
	// orphanWait is the delay between checks whether the garbage collector has orphaned the
	// dependents.
	orphanWait = 2 * time.Second
)

// dependents describes the objects of one kind that refer to a Domain and are deleted with it.
type dependents struct {
	// kind is used in messages. reason is the condition reason of a Domain that waits for these
	// dependents.
	kind, reason string
	// none is an empty list of the kind.
	none client.ObjectList
	// domainOf returns the name of the Domain that an object refers to, or "" if it refers to none.
	domainOf func(client.Object) string
}

// list returns the dependents of a Domain, sorted by name.
func (d dependents) list(ctx context.Context, reader client.Reader, domain *v1alpha1.Domain) ([]client.Object, error) {
	all := d.none.DeepCopyObject().(client.ObjectList)
	if err := reader.List(ctx, all, client.InNamespace(domain.Namespace)); err != nil {
		return nil, fmt.Errorf("listing the %ss of the Domain: %w", d.kind, err)
	}
	var found []client.Object
	err := meta.EachListItem(all, func(item runtime.Object) error {
		if object := item.(client.Object); d.domainOf(object) == domain.Name {
			found = append(found, object)
		}
		return nil
	})
	slices.SortFunc(found, func(a, b client.Object) int { return strings.Compare(a.GetName(), b.GetName()) })
	return found, err
}

// requests maps an object to its Domain, which counts its dependents and may wait for their
// deletion.
func (d dependents) requests(_ context.Context, object client.Object) []reconcile.Request {
	name := d.domainOf(object)
	if name == "" {
		return nil
	}
	return []reconcile.Request{base.RequestFor(object.GetNamespace(), name)}
}

// remove deletes the dependents that are owned by a Domain that is being deleted, and returns the
// names of those that the deletion must wait for. Dependents that were created after the deletion
// are not waited for, because a tool might create them forever: admission rejects them, and the
// garbage collector deletes any that was admitted. With --cascade=orphan nothing is deleted: once
// the garbage collector is done, the Domain owns nothing. Dependents with other owners are not
// deleted, and wait for another Domain of that name.
func (r *reconciler) remove(ctx context.Context, domain *v1alpha1.Domain, of dependents) ([]string, error) {
	awaited, err := r.removeFound(ctx, r.Client, domain, of)
	if err != nil || len(awaited) > 0 {
		return awaited, err
	}
	// The cache contains none, but may be outdated.
	return r.removeFound(ctx, r.Live, domain, of)
}

func (r *reconciler) removeFound(ctx context.Context, reader client.Reader, domain *v1alpha1.Domain, of dependents) ([]string, error) {
	found, err := of.list(ctx, reader, domain)
	if err != nil {
		return nil, err
	}
	var awaited []string
	for _, object := range found {
		if !owner.Owns(domain, object) {
			continue
		}
		created := object.GetCreationTimestamp()
		if !created.After(domain.DeletionTimestamp.Time) {
			awaited = append(awaited, object.GetName())
		}
		if object.GetDeletionTimestamp() != nil || owner.Orphans(domain) {
			continue
		}
		// The resource version is a precondition too: the garbage collector may have orphaned the
		// object since it was read.
		as := client.Preconditions{UID: ptr.To(object.GetUID()), ResourceVersion: ptr.To(object.GetResourceVersion())}
		err := r.Client.Delete(ctx, object, as)
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("deleting %s %q of the Domain: %w", of.kind, object.GetName(), err)
		}
	}
	return awaited, nil
}

// reportAwaited reports which dependents a Domain that is being deleted waits for. The deletion of
// each one wakes the Domain.
func (r *reconciler) reportAwaited(
	ctx context.Context, a *attempt, stored *v1alpha1.Domain, of dependents, names []string,
) (reconcile.Result, error) {
	domain := a.domain
	shown := strings.Join(names[:min(len(names), shownNames)], ", ")
	if len(names) > shownNames {
		shown += ", …"
	}
	message := "waiting for %d %ss to go before the Takaro domain is dealt with: %s; look at their conditions"
	wait := problem.ForeignWait
	if owner.Orphans(domain) {
		message = "waiting for the garbage collector to orphan %d %ss: %s; check that kube-controller-manager runs"
		wait = orphanWait
	}
	set(domain, v1alpha1.ConditionReady, metav1.ConditionFalse, of.reason, fmt.Sprintf(message, len(names), of.kind, shown))
	statusKind.Observed(domain)
	if err := r.count(ctx, domain); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: wait}, r.Write(ctx, a.domain, stored)
}

// count sets the numbers of the Domain's Users and game servers in the status.
func (r *reconciler) count(ctx context.Context, domain *v1alpha1.Domain) error {
	if err := r.countUsers(ctx, domain); err != nil {
		return err
	}
	return r.countGameServers(ctx, domain)
}
