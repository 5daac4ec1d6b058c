// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/owner"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// createdFor reports whether the controller created a StatefulSet for a MockServer of this name.
// Labels and annotations do not prove that the controller set them, but any user that can set them
// can change any StatefulSet of the namespace. The selector is compared because it is immutable.
func createdFor(server *v1alpha1.MockServer, set *appsv1.StatefulSet) bool {
	_, simulated := set.Annotations[simulationAnnotation]
	return set.DeletionTimestamp == nil && simulated && set.Annotations[specAnnotation] != "" &&
		apiequality.Semantic.DeepDerivative(labelsOf(server), set.Labels) &&
		apiequality.Semantic.DeepEqual(set.Spec.Selector, &metav1.LabelSelector{MatchLabels: selectorOf(server)})
}

// findName verifies that the name of the StatefulSet is available. If the name is in use by the
// StatefulSet of an earlier MockServer of this name that was deleted with --cascade=orphan,
// findName returns that StatefulSet with its owner replaced but not yet stored. Otherwise it
// returns nil.
func (r *reconciler) findName(ctx context.Context, a *attempt, wanted *appsv1.StatefulSet) (*appsv1.StatefulSet, *base.Blocked) {
	// Read without the cache, which may be outdated and contains only StatefulSets with Label.
	stored := &appsv1.StatefulSet{}
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(wanted), stored)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, problem.Classify("reading the StatefulSet", err)
	case metav1.IsControlledBy(stored, a.server):
		return nil, problem.Classify("reading the StatefulSet", base.ErrOutdated)
	case createdFor(a.server, stored):
		taken, err := owner.Take(ctx, r.Live, r.Client.Scheme(), a.server, stored)
		if err != nil {
			return nil, problem.Classify("setting the owner of the StatefulSet", err)
		}
		if taken {
			return stored, nil
		}
	}
	return nil, &base.Blocked{Reason: v1alpha1.ReasonStatefulSetNameTaken, RequeueAfter: problem.ForeignWait, Message: fmt.Sprintf(
		"StatefulSet %q exists and does not belong to this object, so it is not changed. "+
			"Delete it, or create the MockServer under another name.", wanted.Name)}
}

// takeSet stores the new owner of a StatefulSet that findName returned. Its pods have the identity
// of the earlier MockServer until they are replaced.
func (r *reconciler) takeSet(ctx context.Context, a *attempt, left *appsv1.StatefulSet) *base.Blocked {
	if err := r.Client.Update(ctx, left); err != nil {
		return refusedByCluster(err)
	}
	a.set = left
	r.Note(a.server, eventSetTaken, "StatefulSet %q of an earlier MockServer of this name is used again; its pods are replaced", left.Name)
	return nil
}
