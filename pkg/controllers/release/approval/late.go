// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/crdreview"
)

// lateReason is the reason for an approval of what was made before anybody could say whether it needs one.
const lateReason = "the OperatorVersion came later"

// unjudged tells whether a CRDSchema was made before its OperatorVersion, so that nobody knew what to compare it with.
func unjudged(schema *v1alpha1.CRDSchema) bool {
	ready := meta.FindStatusCondition(schema.Status.Conditions, v1alpha1.ConditionReady)
	return schema.Spec.OperatorVersionRef != nil && schema.Status.Compatibility == "" && schema.Status.Against == nil &&
		ready != nil && ready.Reason == v1alpha1.ReasonOperatorVersionNotFound
}

// judgeLate compares a CRDSchema whose OperatorVersion came later than itself, and writes what was found into its status.
func (s *schemas) judgeLate(ctx context.Context, schema *v1alpha1.CRDSchema) error {
	if !unjudged(schema) {
		return nil
	}
	version := &v1alpha1.OperatorVersion{}
	if err := s.client.Get(ctx, client.ObjectKey{Name: schema.Spec.OperatorVersionRef.Name}, version); err != nil {
		return client.IgnoreNotFound(err)
	}
	baseline, err := s.baseline(ctx, schema, version)
	if err != nil {
		return err
	}
	policy, err := s.policy(ctx, version.Spec.OperatorRef.Name)
	if err != nil {
		return err
	}
	judged := schema.DeepCopy()
	if err := judge(judged, baseline, policy); err != nil {
		return err
	}
	if judged.Status.Approval == v1alpha1.ApprovalPending && schema.Annotations[v1alpha1.RequestApprovalAnnotation] == "" {
		// First, so that a CRDSchema that waits can always be found by its annotation.
		before := schema.DeepCopy()
		if schema.Annotations == nil {
			schema.Annotations = map[string]string{}
		}
		schema.Annotations[v1alpha1.RequestApprovalAnnotation] = lateReason
		if err := s.client.Patch(ctx, schema, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return err
		}
	}
	before := schema.DeepCopy()
	schema.Status = judged.Status
	if err := s.write(ctx, schema, before); err != nil {
		return err
	}
	ready := meta.FindStatusCondition(schema.Status.Conditions, v1alpha1.ConditionReady)
	text := fmt.Sprintf("OperatorVersion %s came later than this CRDSchema: %s", version.Name, ready.Message)
	if ready.Reason == v1alpha1.ReasonBreakingRefused {
		warn(s.recorder, schema, version, ready.Reason, text)
		return nil
	}
	note(s.recorder, schema, version, eventJudged, text)
	return nil
}

// policy is that of an Operator; of one that is not there, that a person must decide.
func (s *schemas) policy(ctx context.Context, operator string) (crdreview.Policy, error) {
	found := &v1alpha1.Operator{}
	if err := s.client.Get(ctx, client.ObjectKey{Name: operator}, found); err != nil {
		return crdreview.RequireApproval, client.IgnoreNotFound(err)
	}
	return crdreview.Policy(found.Spec.CRDPolicy.Breaking), nil
}

// baseline finds what a CRDSchema follows, as the API server does for a new one: the same definition in the newest lower
// version of the operator that has it, and that neither waits for an approval nor was rejected; nil where there is none.
func (s *schemas) baseline(ctx context.Context, schema *v1alpha1.CRDSchema, version *v1alpha1.OperatorVersion) (*v1alpha1.CRDSchema, error) {
	list := &v1alpha1.OperatorVersionList{}
	if err := s.client.List(ctx, list); err != nil {
		return nil, err
	}
	var all []crdreview.Version
	for i := range list.Items {
		if other := &list.Items[i]; other.Spec.OperatorRef.Name == version.Spec.OperatorRef.Name {
			all = append(all, crdreview.Version{Name: other.Name, Version: other.Spec.Version})
		}
	}
	for _, lower := range crdreview.Lower(version.Spec.Version, all) {
		name := crdreview.SchemaName(lower.Name, schema.Status.CRD)
		found := metadata()
		if err := s.client.Get(ctx, client.ObjectKey{Name: name}, found); client.IgnoreNotFound(err) != nil {
			return nil, err
		} else if err != nil {
			continue
		}
		earlier := &v1alpha1.CRDSchema{}
		if err := s.live.Get(ctx, client.ObjectKey{Name: name}, earlier); client.IgnoreNotFound(err) != nil {
			return nil, err
		} else if err == nil && earlier.Status.Approval != v1alpha1.ApprovalPending && earlier.Status.Approval != v1alpha1.ApprovalRejected {
			return earlier, nil
		}
	}
	return nil, nil
}
