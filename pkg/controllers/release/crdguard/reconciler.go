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
	// live reads without the cache, which contains only metadata because CRDs are large.
	live   client.Reader
	policy crdpolicy.Policy
	// earlier contains the annotations that were observed since the snapshots.
	earlier *earlier
	clock   clock.PassiveClock
	// instance identifies this process in events.
	instance string
}

// Reconcile processes one CRD: it judges the change since the last observed state, emits an event
// if needed, and then updates the snapshot.
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
		// The snapshot was not written by Roadstead. It is replaced by the current state.
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

// record stores the current state of a CRD.
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
		// A retry would be rejected again. The next change is compared with the previous snapshot.
		return reconcile.TerminalError(err)
	}
	return err
}

// forget removes the state of a CRD that was deleted. A later CRD of the same name is a different
// object.
func (r *reconciler) forget(ctx context.Context, name string) error {
	snapshot := &v1alpha1.CRDSnapshot{}
	snapshot.Name = name
	return client.IgnoreNotFound(r.client.Delete(ctx, snapshot))
}
