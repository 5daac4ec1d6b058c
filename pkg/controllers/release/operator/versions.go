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

// carryOut creates the versions to discover, and deletes those that exceed the limit and are not
// needed.
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

// create creates one version. A version that the API server rejects causes one event, and is tried
// again after the next query of the repository.
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
	// The precondition prevents the deletion of a new version of the same name.
	err := r.Client.Delete(ctx, surplus, client.Preconditions{UID: &surplus.UID})
	if err == nil {
		r.Note(operator, eventVersionDeleted, "version %s was deleted: there are more than spec.versionHistoryLimit", one.version)
	}
	if apierrors.IsConflict(err) {
		return nil // in use, or created again: the next reconciliation decides
	}
	return client.IgnoreNotFound(err)
}

// needed returns the names of OperatorVersions whose CRDSchemas others are compared with: because
// of their spec, for a pending decision, or because a higher version is not accepted yet. A
// completed comparison does not need its baseline, because its status contains the result.
func (r *reconciler) needed(ctx context.Context, operator *v1alpha1.Operator) (map[string]bool, error) {
	list := &v1alpha1.OperatorVersionList{}
	if err := r.Client.List(ctx, list); err != nil {
		return nil, err
	}
	pending := pendingVersions(list.Items)
	ownerOf := map[string]string{} // the OperatorVersion that owns a CRDSchema
	found, err := r.schemas.Select(ctx, func(schema *metav1.PartialObjectMetadata) bool {
		controller := metav1.GetControllerOf(schema)
		if controller == nil || controller.Kind != "OperatorVersion" {
			return true // created manually: its spec may name a baseline
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

// awaited returns the baseline of a change that waits for a decision.
func awaited(approval v1alpha1.ApprovalState, against string) string {
	if approval == v1alpha1.ApprovalPending {
		return against
	}
	return ""
}

// pendingVersions returns the names of OperatorVersions that wait for a decision, or were not
// judged yet.
func pendingVersions(all []v1alpha1.OperatorVersion) map[string]bool {
	pending := map[string]bool{}
	for i := range all {
		approval := all[i].Status.Approval
		pending[all[i].Name] = approval == v1alpha1.ApprovalPending || approval == ""
	}
	return pending
}

// baselines returns the names of the OperatorVersions of an operator that a version which is not
// accepted yet is compared with: the newest accepted one below it. If that one were deleted, there
// would be no baseline, and a user who sets a small spec.versionHistoryLimit could avoid the
// approval of a breaking change.
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
