// SPDX-License-Identifier: Apache-2.0

package operatorversion

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
	"roadstead.dev/roadstead/pkg/engine/sandbox"
	"roadstead.dev/roadstead/pkg/engine/semver"
)

// workers is small, because each worker may hold a packed chart of 20 MiB.
const workers = 3

// Dependencies are shared with other controllers. The cache must have the indexes of package
// chartsource.
type Dependencies struct {
	Source  chartsource.Source
	Charts  *repository.Client
	Schemas *schemas.Reader
	// Sandbox must have RenderChart as ChartHandler.
	Sandbox *sandbox.Sandbox
	// KubeVersion is the version of the cluster that templates see.
	KubeVersion string
	// ComparePeriod is the time between checks whether a chart changed in its repository.
	ComparePeriod time.Duration
	// User is the user name with which the controller authenticates to the API server.
	User string
}

// Setup adds the controller of OperatorVersions to a manager.
func Setup(mgr ctrl.Manager, shared Dependencies) error {
	real := clock.RealClock{}
	r := &reconciler{
		Reporter: base.Reporter[*v1alpha1.OperatorVersion]{
			Kind: statusKind, Client: mgr.GetClient(), Recorder: mgr.GetEventRecorder(base.Component),
		},
		live:        mgr.GetAPIReader(),
		source:      shared.Source,
		charts:      shared.Charts,
		schemas:     shared.Schemas,
		reserve:     reservation(shared.Sandbox),
		comparisons: newComparisons(real, shared.ComparePeriod),
		clock:       real,
		kubeVersion: shared.KubeVersion,
		user:        shared.User,
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

// letsOthersGoOn accepts changes that higher versions wait for.
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
	version, list := object.(*v1alpha1.OperatorVersion), &v1alpha1.OperatorVersionList{}
	if err := r.Client.List(ctx, list, client.MatchingFields{chartsource.VersionsByOperator: version.Spec.OperatorRef.Name}); err != nil {
		return nil // the cache fails only when the process ends
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if one := &list.Items[i]; semver.Compare(one.Spec.Version, version.Spec.Version) > 0 {
			requests = append(requests, base.RequestFor("", one.Name))
		}
	}
	return requests
}

// versionsOf maps an Operator to its versions.
func (r *reconciler) versionsOf(ctx context.Context, operator client.Object) []reconcile.Request {
	return r.versionsOfName(ctx, operator.GetName())
}

func (r *reconciler) versionsOfName(ctx context.Context, operator string) []reconcile.Request {
	return base.Requests(ctx, r.Client, &v1alpha1.OperatorVersionList{}, client.MatchingFields{chartsource.VersionsByOperator: operator})
}

// versionOfSchema maps a CRDSchema to the versions that it may belong to according to its name.
func (r *reconciler) versionOfSchema(ctx context.Context, schema client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for _, name := range schemas.VersionCandidates(schema) {
		if request := base.RequestFor("", name); r.Client.Get(ctx, request.NamespacedName, &v1alpha1.OperatorVersion{}) == nil {
			requests = append(requests, request)
		}
	}
	return requests
}

// versionsOfSecret maps a Secret to the versions of the Operators that refer to it.
func (r *reconciler) versionsOfSecret(ctx context.Context, secret client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for _, operator := range base.Requests(ctx, r.Client, &v1alpha1.OperatorList{}, chartsource.NamingSecret(secret)) {
		requests = append(requests, r.versionsOfName(ctx, operator.Name)...)
	}
	return requests
}
