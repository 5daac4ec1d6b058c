// SPDX-License-Identifier: Apache-2.0

package crdguard

import (
	"context"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

type reconciler struct {
	client client.Client
	// live reads past the cache: it holds metadata only, and definitions are large.
	live   client.Reader
	policy crdpolicy.Policy
	// earlier has the annotations that were seen since the snapshots.
	earlier *earlier
	clock   clock.PassiveClock
	// instance is this process, in events.
	instance string
}

// Reconcile looks at one definition: what changed since it was seen last is judged, then told, then written down.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	now := &apiextensionsv1.CustomResourceDefinition{}
	if err := r.live.Get(ctx, request.NamespacedName, now); base.IsAbsent(err) {
		return reconcile.Result{}, r.forget(ctx, request.Name)
	} else if err != nil {
		return reconcile.Result{}, err
	}
	snapshot := &v1alpha1.CRDSnapshot{}
	err := r.live.Get(ctx, request.NamespacedName, snapshot)
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	}
	known := snapshot
	if err != nil {
		known = nil
	}
	found, err := decide(known, now, r.policy, r.earlier.of(now.UID))
	if err != nil {
		// What cannot be read was not written by us; what is there now can be.
		klog.FromContext(ctx).Error(err, "The last seen definition cannot be read: its change is not judged", "crd", now.Name)
		found = verdict{record: true}
	}
	if found.missed != nil {
		fresh, err := r.report(ctx, now, found.missed)
		if err != nil {
			return reconcile.Result{}, err
		}
		if fresh {
			missed.Inc()
			klog.FromContext(ctx).Info("A change that breaks something was made without the guard", "crd", now.Name, "generation", now.Generation,
				"seenGeneration", snapshot.Spec.Generation, "verdict", found.missed.Verdict, "findings", len(found.missed.Findings),
				"digest", found.missed.Digest)
		}
	}
	if !found.record {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{}, r.record(ctx, snapshot, known != nil, now)
}

// record writes down a definition as it is now.
func (r *reconciler) record(ctx context.Context, snapshot *v1alpha1.CRDSnapshot, exists bool,
	now *apiextensionsv1.CustomResourceDefinition) error {
	if err := remember(snapshot, now); err != nil {
		return reconcile.TerminalError(err)
	}
	var err error
	if exists {
		err = r.client.Update(ctx, snapshot)
	} else {
		err = r.client.Create(ctx, snapshot)
	}
	if apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) {
		// The same again would be refused again. The next change is judged by what was seen before.
		return reconcile.TerminalError(err)
	}
	return err
}

// forget removes what was seen of a definition that is gone: one of the same name that comes later is another one.
func (r *reconciler) forget(ctx context.Context, name string) error {
	snapshot := &v1alpha1.CRDSnapshot{}
	snapshot.Name = name
	return client.IgnoreNotFound(r.client.Delete(ctx, snapshot))
}
