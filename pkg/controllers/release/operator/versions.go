// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/owner"
)

const defaultHistory = 20

// carryOut makes the versions that are to be discovered, and deletes those that are too many and not needed.
func (r *reconciler) carryOut(ctx context.Context, operator *v1alpha1.Operator, existing []version, found *check) error {
	limit := defaultHistory
	if operator.Spec.VersionHistoryLimit != nil {
		limit = int(*operator.Spec.VersionHistoryLimit)
	}
	decided := decide(operator.Name, existing, wanted(operator.Spec.Chart.Discover, found.versions), limit)
	for _, one := range decided.create {
		if err := r.create(ctx, operator, one, found); err != nil {
			return err
		}
	}
	if len(decided.surplus) == 0 {
		return nil
	}
	needed, err := r.needed(ctx)
	if err != nil {
		return fmt.Errorf("looking which OperatorVersions are needed: %w", err)
	}
	for _, one := range decided.surplus {
		if needed[one.name] {
			continue
		}
		if err := r.remove(ctx, operator, one); err != nil {
			return err
		}
	}
	return nil
}

// create makes one version. What the API server does not take is told once, and tried again with the next look.
func (r *reconciler) create(ctx context.Context, operator *v1alpha1.Operator, one version, found *check) error {
	if found.refused[one.name] {
		return nil
	}
	made := &v1alpha1.OperatorVersion{
		ObjectMeta: metav1.ObjectMeta{Name: one.name},
		Spec: v1alpha1.OperatorVersionSpec{
			OperatorRef: v1alpha1.LocalObjectReference{Name: operator.Name}, Version: one.version, ChartVersion: one.version, CRDSource: v1alpha1.CRDSourceChart,
		},
	}
	if err := owner.SetController(ctx, r.live, r.client.Scheme(), operator, made); err != nil {
		return err
	}
	err := r.client.Create(ctx, made)
	switch {
	case err == nil:
		r.note(operator, eventDiscovered, "version %s was found in the chart repository", one.version)
	case apierrors.IsAlreadyExists(err):
	case apierrors.IsInvalid(err) || apierrors.IsForbidden(err):
		found.refused[one.name] = true
		r.warn(operator, eventVersionRefused, "OperatorVersion %s cannot be made: %v", one.name, err)
	default:
		return fmt.Errorf("making OperatorVersion %s: %w", one.name, err)
	}
	return nil
}

func (r *reconciler) remove(ctx context.Context, operator *v1alpha1.Operator, one version) error {
	surplus := &v1alpha1.OperatorVersion{}
	if err := r.client.Get(ctx, types.NamespacedName{Name: one.name}, surplus); err != nil {
		return client.IgnoreNotFound(err)
	}
	// Not one that was made anew under the name meanwhile.
	err := r.client.Delete(ctx, surplus, client.Preconditions{UID: &surplus.UID})
	if err == nil {
		r.note(operator, eventVersionDeleted, "version %s was deleted: there are more than spec.versionHistoryLimit", one.version)
	}
	if apierrors.IsConflict(err) {
		return nil // in use, or made anew: the next reconciliation looks again
	}
	return client.IgnoreNotFound(err)
}

// needed are the names of OperatorVersions whose definitions others are compared with: by their spec, or for a decision
// that is awaited. A comparison that is settled needs its baseline no more: what it found is in its status.
func (r *reconciler) needed(ctx context.Context) (map[string]bool, error) {
	pending, err := r.pendingVersions(ctx)
	if err != nil {
		return nil, err
	}
	ownerOf := map[string]string{} // the OperatorVersion that made a CRDSchema
	found, err := r.schemas.Select(ctx, func(schema *metav1.PartialObjectMetadata) bool {
		controller := metav1.GetControllerOf(schema)
		if controller == nil || controller.Kind != "OperatorVersion" {
			return true // made by hand: its spec may name a baseline
		}
		ownerOf[schema.Name] = controller.Name
		return pending[controller.Name]
	})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, schema := range found {
		for _, baseline := range []string{schema.AgainstRef, awaited(schema.Approval, schema.Against)} {
			if version := ownerOf[baseline]; version != "" && version != schema.OperatorVersion {
				names[version] = true
			}
		}
	}
	return names, nil
}

// awaited is the baseline of a change that waits for a decision.
func awaited(approval v1alpha1.ApprovalState, against string) string {
	if approval == v1alpha1.ApprovalPending {
		return against
	}
	return ""
}

// pendingVersions are the names of OperatorVersions that wait for a decision, or were not looked at yet.
func (r *reconciler) pendingVersions(ctx context.Context) (map[string]bool, error) {
	list := &v1alpha1.OperatorVersionList{}
	if err := r.client.List(ctx, list); err != nil {
		return nil, err
	}
	pending := map[string]bool{}
	for i := range list.Items {
		status := &list.Items[i].Status
		pending[list.Items[i].Name] = status.Approval == v1alpha1.ApprovalPending || status.Approval == ""
	}
	return pending, nil
}
