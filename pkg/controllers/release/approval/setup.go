// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	crdschemas "roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

const (
	// workers is small, because each worker may hold two CRD manifests of several MiB.
	workers = 2
	// subjectIndex indexes Approvals by the name of their subject.
	subjectIndex = "spec.subject.name"
)

// Defaults of Dependencies.
const (
	DefaultExpiry = 24 * time.Hour
	// DefaultRetention keeps Approvals forever.
	DefaultRetention = 0
)

// Dependencies are what the controllers need in addition to the manager.
type Dependencies struct {
	// Expiry is how long an approval may take.
	Expiry time.Duration
	// Retention is how long an Approval is kept after it was decided. 0 means forever.
	Retention time.Duration
	// Now returns the time of the API server, and whether it may be used for a final decision.
	Now func() (time.Time, bool)
	// User is the user name with which the controller authenticates to the API server.
	User string
}

// Setup adds the controllers of Approvals, and of CRDSchemas that wait, to a manager. Its cache
// must have the indexes of chartsource.AddIndexes.
func Setup(ctx context.Context, mgr ctrl.Manager, shared Dependencies) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, &v1alpha1.Approval{}, subjectIndex, func(object client.Object) []string {
		return []string{object.(*v1alpha1.Approval).Spec.Subject.Name}
	}); err != nil {
		return err
	}
	look := subjects{live: mgr.GetAPIReader(), follow: newBaselines()}
	recorder := mgr.GetEventRecorder(base.Component)
	approvals := &reconciler{
		client: mgr.GetClient(), subjects: look, recorder: recorder, now: shared.Now, retention: shared.Retention,
	}
	if err := ctrl.NewControllerManagedBy(mgr).
		Named("release-approval").
		WithOptions(base.Options(workers, base.Timeout)).
		For(&v1alpha1.Approval{}).
		Watches(crdschemas.Metadata(), handler.EnqueueRequestsFromMapFunc(approvals.dependents), builder.OnlyMetadata,
			builder.WithPredicates(comesOrGoes)).
		Watches(&v1alpha1.OperatorVersion{}, handler.EnqueueRequestsFromMapFunc(approvals.ofVersion), builder.WithPredicates(comesOrGoes)).
		Complete(base.Measure("Approval", approvals)); err != nil {
		return err
	}
	waiting := &schemas{
		client: mgr.GetClient(), live: mgr.GetAPIReader(), subjects: look, recorder: recorder, user: shared.User, expiry: shared.Expiry,
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("release-crdschema").
		WithOptions(base.Options(workers, base.Timeout)).
		For(&v1alpha1.CRDSchema{}, builder.OnlyMetadata, builder.WithPredicates(asking)).
		Watches(&v1alpha1.Approval{}, handler.EnqueueRequestsFromMapFunc(subjectOf)).
		Watches(&v1alpha1.OperatorVersion{}, handler.EnqueueRequestsFromMapFunc(waiting.earlierThan), builder.WithPredicates(comes)).
		Watches(crdschemas.Metadata(), handler.EnqueueRequestsFromMapFunc(waiting.ifEarlier), builder.OnlyMetadata,
			builder.WithPredicates(comes)).
		Complete(base.Measure("CRDSchema", waiting))
}

// comes accepts the creation of objects.
var comes = predicate.Funcs{
	UpdateFunc: func(change event.UpdateEvent) bool { return change.ObjectOld.GetUID() != change.ObjectNew.GetUID() },
	DeleteFunc: func(event.DeleteEvent) bool { return false },
}

// comesOrGoes accepts the creation and deletion of objects: the specs of CRDSchemas and
// OperatorVersions are immutable.
var comesOrGoes = predicate.Funcs{
	UpdateFunc: func(change event.UpdateEvent) bool { return change.ObjectOld.GetUID() != change.ObjectNew.GetUID() },
}

// asking accepts CRDSchemas that may wait for an approval, and those whose annotation was removed
// while they wait. Other CRDSchemas are not read.
var asking = predicate.Or(predicate.NewPredicateFuncs(asksForApproval), predicate.Funcs{
	CreateFunc:  func(event.CreateEvent) bool { return false },
	UpdateFunc:  func(change event.UpdateEvent) bool { return asksForApproval(change.ObjectOld) },
	DeleteFunc:  func(event.DeleteEvent) bool { return false },
	GenericFunc: func(event.GenericEvent) bool { return false },
})

// asksForApproval reports whether a CRDSchema has the annotation that requests an approval.
func asksForApproval(schema client.Object) bool {
	_, asks := schema.GetAnnotations()[v1alpha1.RequestApprovalAnnotation]
	return asks
}

// dependents returns requests for the Approvals that depend on a CRDSchema, as their subject or as
// the baseline of their subject.
func (r *reconciler) dependents(ctx context.Context, schema client.Object) []reconcile.Request {
	return r.dependentsOfName(ctx, schema.GetName())
}

func (r *reconciler) dependentsOfName(ctx context.Context, schema string) []reconcile.Request {
	requests := base.Requests(ctx, r.client, &v1alpha1.ApprovalList{}, client.MatchingFields{subjectIndex: schema})
	for _, name := range r.subjects.follow.approvals(schema) {
		requests = append(requests, base.RequestFor("", name))
	}
	return requests
}

// subjectOf returns a request for the CRDSchema that an Approval is about.
func subjectOf(_ context.Context, object client.Object) []reconcile.Request {
	return []reconcile.Request{base.RequestFor("", object.(*v1alpha1.Approval).Spec.Subject.Name)}
}
