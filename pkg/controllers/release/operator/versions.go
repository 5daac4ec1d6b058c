// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/owner"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/engine/semver"
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
	needed, err := r.needed(ctx, operator)
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
			OperatorRef: v1alpha1.LocalObjectReference{Name: operator.Name}, Version: one.version, ChartVersion: one.version,
			CRDSource: v1alpha1.CRDSourceChart,
		},
	}
	if err := owner.SetController(ctx, r.live, r.Client.Scheme(), operator, made); err != nil {
		return err
	}
	err := r.Client.Create(ctx, made)
	switch {
	case err == nil:
		r.Note(operator, eventDiscovered, "version %s was found in the chart repository", one.version)
	case apierrors.IsAlreadyExists(err):
	case apierrors.IsInvalid(err) || apierrors.IsForbidden(err):
		found.refused[one.name] = true
		r.Warn(operator, eventVersionRefused, "OperatorVersion %s cannot be made: %v", one.name, err)
	default:
		return fmt.Errorf("making OperatorVersion %s: %w", one.name, err)
	}
	return nil
}

func (r *reconciler) remove(ctx context.Context, operator *v1alpha1.Operator, one version) error {
	surplus := &v1alpha1.OperatorVersion{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: one.name}, surplus); err != nil {
		return client.IgnoreNotFound(err)
	}
	// Not one that was made anew under the name meanwhile.
	err := r.Client.Delete(ctx, surplus, client.Preconditions{UID: &surplus.UID})
	if err == nil {
		r.Note(operator, eventVersionDeleted, "version %s was deleted: there are more than spec.versionHistoryLimit", one.version)
	}
	if apierrors.IsConflict(err) {
		return nil // in use, or made anew: the next reconciliation looks again
	}
	return client.IgnoreNotFound(err)
}

// needed are the names of OperatorVersions whose definitions others are compared with: by their
// spec, for a decision that is awaited, or because a higher version was not accepted yet. A
// comparison that is settled does not need its baseline: what it found is in its status.
func (r *reconciler) needed(ctx context.Context, operator *v1alpha1.Operator) (map[string]bool, error) {
	list := &v1alpha1.OperatorVersionList{}
	if err := r.Client.List(ctx, list); err != nil {
		return nil, err
	}
	pending := pendingVersions(list.Items)
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
	names := baselines(operator.Name, list.Items)
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

// pendingVersions are the names of OperatorVersions that wait for a decision, or were not judged
// yet.
func pendingVersions(all []v1alpha1.OperatorVersion) map[string]bool {
	pending := map[string]bool{}
	for i := range all {
		approval := all[i].Status.Approval
		pending[all[i].Name] = approval == v1alpha1.ApprovalPending || approval == ""
	}
	return pending
}

// baselines are the names of the OperatorVersions of an operator that a version which was not
// accepted is compared with: the newest accepted one below it. If it were deleted, there would be
// nothing to compare with, and whoever sets a small spec.versionHistoryLimit would decide that a
// breaking change needs no approval.
func baselines(operator string, all []v1alpha1.OperatorVersion) map[string]bool {
	var versions []*v1alpha1.OperatorVersion
	for i := range all {
		if one := &all[i]; one.Spec.OperatorRef.Name == operator && one.DeletionTimestamp == nil {
			versions = append(versions, one)
		}
	}
	slices.SortFunc(versions, func(a, b *v1alpha1.OperatorVersion) int {
		return semver.Compare(a.Spec.Version, b.Spec.Version)
	})
	names, newest := map[string]bool{}, ""
	for _, one := range versions {
		switch {
		case schemas.MayRollOut(one):
			newest = one.Name
		case newest != "":
			names[newest] = true
		}
	}
	return names
}
