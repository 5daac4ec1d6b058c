// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdschemas "roadstead.dev/roadstead/pkg/controllers/release/schemas"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// lateReason is the reason for the approval of a CRDSchema that was created before it was known
// whether it needs one.
const lateReason = "the OperatorVersion was created later"

// unjudged reports whether a CRDSchema was created before its OperatorVersion, so that it was not
// known what to compare it with.
func unjudged(schema *v1alpha1.CRDSchema) bool {
	ready := meta.FindStatusCondition(schema.Status.Conditions, v1alpha1.ConditionReady)
	return schema.Spec.OperatorVersionRef != nil && schema.Status.Compatibility == "" && schema.Status.Against == nil &&
		ready != nil && ready.Reason == v1alpha1.ReasonOperatorVersionNotFound
}

// judgeLate judges a CRDSchema whose OperatorVersion was created later, and writes the result to
// its status. Only the controller creates the CRDSchemas of a chart, and only after the
// OperatorVersion exists, so this CRDSchema is no evidence of what a chart renders.
func (s *schemas) judgeLate(ctx context.Context, schema *v1alpha1.CRDSchema) error {
	if !unjudged(schema) {
		return nil
	}
	version := &v1alpha1.OperatorVersion{}
	if err := s.client.Get(ctx, client.ObjectKey{Name: schema.Spec.OperatorVersionRef.Name}, version); err != nil {
		return client.IgnoreNotFound(err)
	}
	if version.Spec.CRDSource != v1alpha1.CRDSourceManual && schema.Status.CreatedBy == s.user {
		return nil // it belongs to a deleted version of the same name; the garbage collector deletes it
	}
	judged := schema.DeepCopy()
	if version.Spec.CRDSource != v1alpha1.CRDSourceManual {
		disown(judged, version.Name)
	} else {
		compared, err := s.compare(ctx, schema, version)
		if err != nil {
			return err
		}
		policy, err := s.policy(ctx, version.Spec.OperatorRef.Name)
		if err != nil {
			return err
		}
		judge(judged, compared, policy)
	}
	if judged.Status.Approval == v1alpha1.ApprovalPending && schema.Annotations[v1alpha1.RequestApprovalAnnotation] == "" {
		// The annotation is set first, so that a CRDSchema that waits for an approval can always be
		// found by it.
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
	text := fmt.Sprintf("OperatorVersion %s was created after this CRDSchema: %s", version.Name, ready.Message)
	if judged.Status.Approval == v1alpha1.ApprovalRejected {
		warn(s.recorder, schema, version, ready.Reason, text)
		return nil
	}
	note(s.recorder, schema, version, eventJudged, text)
	return nil
}

// policy returns the policy of an Operator. If the Operator does not exist, the policy is that an
// approval is required.
func (s *schemas) policy(ctx context.Context, operator string) (crdpolicy.Policy, error) {
	found := &v1alpha1.Operator{}
	if err := s.client.Get(ctx, client.ObjectKey{Name: operator}, found); err != nil {
		return crdpolicy.RequireApproval, client.IgnoreNotFound(err)
	}
	return crdpolicy.Policy(found.Spec.CRDPolicy.Breaking), nil
}

// compare compares a CRDSchema of a version as the API server does for a new one: with the trusted
// CRDSchema that precedes it, and with the one in spec.againstRef if that differs.
func (s *schemas) compare(
	ctx context.Context, schema *v1alpha1.CRDSchema, version *v1alpha1.OperatorVersion,
) (compared crdpolicy.Comparison, err error) {
	if compared.New, err = storedOf(schema).Decode(); err != nil {
		return compared, err
	}
	before, err := s.predecessors(ctx, version, schema.Status.CRD)
	if err != nil {
		return compared, err
	}
	get := func(name string) (*crdpolicy.Evidence, error) { return s.earlier(ctx, name) }
	found, err := crdpolicy.FindBaseline(before, schema.Status.CRD, s.user, release.CRDSchemaName, get)
	if err != nil {
		return compared, err
	}
	compared.Lost = found.Lost
	if compared.Baseline, err = crdpolicy.NewSide(found.Evidence); err != nil {
		return compared, err
	}
	if ref := schema.Spec.AgainstRef; ref != nil && (found.Evidence == nil || ref.Name != found.Evidence.Name) {
		chosen, err := get(ref.Name)
		if err != nil {
			return compared, err
		}
		compared.Chosen, err = crdpolicy.NewSide(chosen)
		return compared, err
	}
	return compared, nil
}

// predecessors returns the versions whose CRDSchema of a CRD may precede that of a version.
func (s *schemas) predecessors(ctx context.Context, version *v1alpha1.OperatorVersion, crd string) ([]crdpolicy.Version, error) {
	list := &v1alpha1.OperatorVersionList{}
	if err := s.client.List(ctx, list); err != nil {
		return nil, err
	}
	var all []crdpolicy.Version
	for i := range list.Items {
		all = append(all, crdschemas.Version(&list.Items[i]))
	}
	return crdpolicy.Predecessors(crdschemas.Version(version), crd, all), nil
}

// earlier returns a CRDSchema, or nil if it does not exist. The cache is used to check which ones
// exist, so that few are read from the API server.
func (s *schemas) earlier(ctx context.Context, name string) (*crdpolicy.Evidence, error) {
	if err := s.client.Get(ctx, client.ObjectKey{Name: name}, crdschemas.Metadata()); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	found := &v1alpha1.CRDSchema{}
	if err := s.live.Get(ctx, client.ObjectKey{Name: name}, found); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return crdschemas.Evidence(found), nil
}
