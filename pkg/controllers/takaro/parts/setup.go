// SPDX-License-Identifier: Apache-2.0

package parts

import (
	"slices"
	"time"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/slots"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/util/names"
)

// Of returns the Parts of a reconciler that a manager runs.
func Of[T client.Object](mgr ctrl.Manager, shared Shared, kind base.Kind[T]) Parts[T] {
	reporter := problem.NewReporter(kind, mgr.GetClient(), mgr.GetEventRecorder(names.Controller))
	return New(shared, reporter, mgr.GetAPIReader(), clock.RealClock{})
}

// Controller returns the builder of a controller that reconciles an object of a kind after a change
// of its spec or of a Secret that it owns, and when the queue wakes it.
func (p Parts[T]) Controller(mgr ctrl.Manager, name string, timeout time.Duration, kind T) *ctrl.Builder {
	return ctrl.NewControllerManagedBy(mgr).
		Named(name).
		WithOptions(base.Options(slots.Workers, timeout)).
		For(kind, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(secrets.Metadata(), builder.OnlyMetadata).
		WatchesRawSource(source.Func(p.Queue.Attach))
}

// SecretNames returns the names of the Secrets that a spec refers to, without duplicates.
// References may be nil.
func SecretNames(refs ...*v1alpha1.SecretKeyReference) []string {
	var names []string
	for _, ref := range refs {
		if ref != nil && !slices.Contains(names, ref.Name) {
			names = append(names, ref.Name)
		}
	}
	return names
}
