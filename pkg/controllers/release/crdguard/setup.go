// SPDX-License-Identifier: Apache-2.0

package crdguard

import (
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// workers is small, because each worker may hold two CRDs of several MiB.
const workers = 2

// Dependencies are what the controller needs in addition to the manager.
type Dependencies struct {
	// Policy is the guard's policy for CRDs without an annotation: Deny or Warn.
	Policy crdpolicy.Policy
}

// Setup adds the controller of missed changes to a manager.
func Setup(mgr ctrl.Manager, shared Dependencies) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("the name of this machine, for events: %w", err)
	}
	r := &reconciler{client: mgr.GetClient(), live: mgr.GetAPIReader(), policy: shared.Policy, earlier: newEarlier(),
		clock: clock.RealClock{}, instance: base.Component + "-" + host}
	return ctrl.NewControllerManagedBy(mgr).
		Named("release-crdguard").
		WithOptions(base.Options(workers, base.Timeout)).
		For(base.Metadata(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")), builder.OnlyMetadata,
			builder.WithPredicates(r.earlier.noting(matters))).
		// There is no event for a CRD that was deleted while the controller was not running, but
		// its snapshot still exists.
		Watches(base.Metadata(v1alpha1.SchemeGroupVersion.WithKind("CRDSnapshot")), &handler.EnqueueRequestForObject{}, builder.OnlyMetadata,
			builder.WithPredicates(foundOrLost)).
		Complete(base.Measure("CustomResourceDefinition", r))
}

// matters accepts changes of the spec and of the annotations that the guard evaluates, but not
// those of the status.
var matters = predicate.Funcs{
	UpdateFunc: func(change event.UpdateEvent) bool {
		before, now := change.ObjectOld, change.ObjectNew
		return before.GetUID() != now.GetUID() || before.GetGeneration() != now.GetGeneration() ||
			annotation(before, crdpolicy.PolicyAnnotation) != annotation(now, crdpolicy.PolicyAnnotation) ||
			annotation(before, crdpolicy.AllowChangeAnnotation) != annotation(now, crdpolicy.AllowChangeAnnotation)
	},
}

func annotation(object client.Object, name string) string { return object.GetAnnotations()[name] }

// foundOrLost accepts snapshots that exist when the controller starts, and the deletion of a
// snapshot.
var foundOrLost = predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }}
