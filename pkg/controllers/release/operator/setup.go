// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"time"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
)

// workers is large enough that a few repositories that do not respond do not delay the others.
const workers = 5

// Dependencies are shared with other controllers. The cache must have the indexes of package
// chartsource.
type Dependencies struct {
	Source  chartsource.Source
	Charts  *repository.Client
	Schemas *schemas.Reader
	// Period is the time between queries of a repository that responds.
	Period time.Duration
}

// Setup adds the controller of Operators to a manager.
func Setup(mgr ctrl.Manager, shared Dependencies) error {
	r := &reconciler{
		Reporter: base.Reporter[*v1alpha1.Operator]{
			Kind: statusKind, Client: mgr.GetClient(), Recorder: mgr.GetEventRecorder(base.Component),
		},
		live:    mgr.GetAPIReader(),
		source:  shared.Source,
		charts:  shared.Charts,
		schemas: shared.Schemas,
		checks:  newChecks(clock.RealClock{}, shared.Period),
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("release-operator").
		WithOptions(base.Options(workers, base.Timeout)).
		For(&v1alpha1.Operator{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.OperatorVersion{}, handler.EnqueueRequestsFromMapFunc(operatorOf), builder.WithPredicates(versionCounts)).
		Watches(secrets.Metadata(), handler.EnqueueRequestsFromMapFunc(r.operatorsOf), builder.OnlyMetadata).
		Complete(base.Measure("Operator", r))
}

func operatorOf(_ context.Context, object client.Object) []reconcile.Request {
	return []reconcile.Request{base.RequestFor("", object.(*v1alpha1.OperatorVersion).Spec.OperatorRef.Name)}
}

// versionCounts accepts changes of the number of versions, or of which of them are needed.
var versionCounts = predicate.Funcs{
	UpdateFunc: func(change event.UpdateEvent) bool {
		before, after := change.ObjectOld.(*v1alpha1.OperatorVersion), change.ObjectNew.(*v1alpha1.OperatorVersion)
		return before.Status.Approval != after.Status.Approval || schemas.MayRollOut(before) != schemas.MayRollOut(after) ||
			(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
	},
}

// operatorsOf maps a Secret to the Operators that refer to it.
func (r *reconciler) operatorsOf(ctx context.Context, secret client.Object) []reconcile.Request {
	return base.Requests(ctx, r.Client, &v1alpha1.OperatorList{}, chartsource.NamingSecret(secret))
}
