// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
)

// repositories lists the versions of charts. It is implemented by *charts.Client.
type repositories interface {
	Versions(ctx context.Context, from repository.Repository, name string) ([]string, error)
}

type reconciler struct {
	base.Reporter[*v1alpha1.Operator] // its Client reads from the cache

	live    client.Reader
	source  chartsource.Source
	charts  repositories
	schemas *schemas.Reader
	checks  *checks
}

// Reconcile brings one Operator's versions and status in line with its repository and spec.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	stored := &v1alpha1.Operator{}
	if err := r.Client.Get(ctx, request.NamespacedName, stored); err != nil {
		if client.IgnoreNotFound(err) == nil {
			r.checks.Forget(request.Name)
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if stored.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	operator := stored.DeepCopy()
	if operator.Status.ObservedGeneration != operator.Generation {
		// A repository may take a minute to respond. Until then, the status must not suggest that
		// the previous result applies to the new spec.
		statusKind.Reconciling(operator, "the chart repository is asked")
		if err := r.Client.Status().Update(ctx, operator); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		stored = operator.DeepCopy()
	}
	existing, err := r.versionsOf(ctx, operator)
	if err != nil {
		return reconcile.Result{}, err
	}
	work, done := base.Work(ctx)
	defer done()
	found := r.look(work, operator)
	if ctx.Err() != nil {
		return reconcile.Result{}, context.Cause(ctx)
	}
	failed := r.carryOut(ctx, operator, existing, found)
	conclude(operator, existing, found)
	if err := r.report(ctx, operator, stored); err != nil {
		return reconcile.Result{}, err
	}
	if failed != nil {
		return reconcile.Result{}, failed
	}
	return reconcile.Result{RequeueAfter: r.after(found)}, found.again()
}

// after returns the delay until the next query of the repository, or 0 if the Operator waits for a
// change of a Secret.
func (r *reconciler) after(found *check) time.Duration {
	if found.next.IsZero() {
		return 0
	}
	return max(found.next.Sub(r.checks.clock.Now()), time.Millisecond)
}

// again returns the error to back off on if no next query is scheduled, as after a failed request
// to the API server.
func (c *check) again() error {
	if c.problem != nil && c.next.IsZero() {
		return c.problem.Err
	}
	return nil
}

// versionsOf returns the Operator's versions that are not being deleted.
func (r *reconciler) versionsOf(ctx context.Context, operator *v1alpha1.Operator) ([]version, error) {
	list := &v1alpha1.OperatorVersionList{}
	if err := r.Client.List(ctx, list, client.MatchingFields{chartsource.VersionsByOperator: operator.Name}); err != nil {
		return nil, err
	}
	var found []version
	for i := range list.Items {
		if one := &list.Items[i]; one.DeletionTimestamp == nil {
			found = append(found, version{one.Name, one.Spec.Version, metav1.IsControlledBy(one, operator)})
		}
	}
	return found, nil
}
