// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
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
	"roadstead.dev/roadstead/pkg/engine/sandbox"
)

// workers is small: each may hold a packed chart of 20 MiB.
const workers = 3

// Dependencies are what the controller shares with others. The indexes of package chartsource must be in the cache.
type Dependencies struct {
	Source  chartsource.Source
	Charts  *repository.Client
	Schemas *schemas.Reader
	// Sandbox has RenderChart as ChartHandler.
	Sandbox *sandbox.Sandbox
	// KubeVersion is what templates see of the cluster.
	KubeVersion string
	// ComparePeriod is between looks whether a chart changed in its repository.
	ComparePeriod time.Duration
	// User is the one that the API server knows the controller as.
	User string
}

// Setup adds the controller of OperatorVersions to a manager.
func Setup(mgr ctrl.Manager, shared Dependencies) error {
	real := clock.RealClock{}
	r := &reconciler{
		client:       mgr.GetClient(),
		live:         mgr.GetAPIReader(),
		source:       shared.Source,
		charts:       shared.Charts,
		schemas:      shared.Schemas,
		reserve:      reservation(shared.Sandbox),
		refusals:     newRefusals(),
		comparisons:  newComparisons(real, shared.ComparePeriod),
		unrenderable: newUnrenderable(),
		recorder:     mgr.GetEventRecorder("roadstead-controller"),
		clock:        real,
		kubeVersion:  shared.KubeVersion,
		user:         shared.User,
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("release-operatorversion").
		WithOptions(base.Options(workers, base.RenderTimeout)).
		For(&v1alpha1.OperatorVersion{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.OperatorVersion{}, handler.EnqueueRequestsFromMapFunc(r.higherThan), builder.WithPredicates(letsOthersGoOn)).
		Watches(&v1alpha1.Operator{}, handler.EnqueueRequestsFromMapFunc(r.versionsOf),
			builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(schemas.Metadata(), handler.EnqueueRequestsFromMapFunc(r.versionOfSchema), builder.OnlyMetadata).
		Watches(secrets.Metadata(), handler.EnqueueRequestsFromMapFunc(r.versionsOfSecret), builder.OnlyMetadata).
		Complete(base.Measure("OperatorVersion", r))
}

// letsOthersGoOn passes what higher versions wait for.
var letsOthersGoOn = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return false },
	UpdateFunc: func(change event.UpdateEvent) bool {
		before, after := change.ObjectOld.(*v1alpha1.OperatorVersion), change.ObjectNew.(*v1alpha1.OperatorVersion)
		return settled(before) != settled(after) || schemas.MayRollOut(before) != schemas.MayRollOut(after) ||
			(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
	},
}

// higherThan maps a version to those that may wait for it, or are compared with it.
func (r *reconciler) higherThan(ctx context.Context, object client.Object) []reconcile.Request {
	version := object.(*v1alpha1.OperatorVersion)
	return r.list(ctx, version.Spec.OperatorRef.Name, func(one *v1alpha1.OperatorVersion) bool {
		return repository.CompareVersions(one.Spec.Version, version.Spec.Version) > 0
	})
}

func (r *reconciler) versionsOf(ctx context.Context, operator client.Object) []reconcile.Request {
	return r.list(ctx, operator.GetName(), func(*v1alpha1.OperatorVersion) bool { return true })
}

func (r *reconciler) list(ctx context.Context, operator string, wanted func(*v1alpha1.OperatorVersion) bool) []reconcile.Request {
	list := &v1alpha1.OperatorVersionList{}
	if err := r.client.List(ctx, list, client.MatchingFields{chartsource.VersionsByOperator: operator}); err != nil {
		return nil // the cache answers; only the end of the process makes it fail
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if wanted(&list.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
	return requests
}

// versionOfSchema maps a CRDSchema to the versions that its name may belong to.
func (r *reconciler) versionOfSchema(ctx context.Context, schema client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for _, name := range schemas.VersionCandidates(schema) {
		key := types.NamespacedName{Name: name}
		if r.client.Get(ctx, key, &v1alpha1.OperatorVersion{}) == nil {
			requests = append(requests, reconcile.Request{NamespacedName: key})
		}
	}
	return requests
}

// versionsOfSecret maps a Secret to the versions of the Operators that name it.
func (r *reconciler) versionsOfSecret(ctx context.Context, secret client.Object) []reconcile.Request {
	list := &v1alpha1.OperatorList{}
	key := secret.GetNamespace() + "/" + secret.GetName()
	if err := r.client.List(ctx, list, client.MatchingFields{chartsource.OperatorsBySecret: key}); err != nil {
		return nil
	}
	var requests []reconcile.Request
	for i := range list.Items {
		requests = append(requests, r.versionsOf(ctx, &list.Items[i])...)
	}
	return requests
}
