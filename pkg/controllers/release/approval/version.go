// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	crdschemas "roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

// unlike returns why a CRDSchema is no longer what its Approval is about, or "" if it still is.
func (s subjects) unlike(ctx context.Context, schema *v1alpha1.CRDSchema, approval *v1alpha1.Approval) (string, error) {
	if changed, err := s.version(ctx, schema, approval); err != nil || changed != "" {
		return changed, err
	}
	return s.drifted(ctx, schema, approval.Spec.Subject.Digest)
}

// version returns why the OperatorVersion of a CRDSchema is not the one that an Approval was
// created for, or "" if it is. approval is nil before the Approval exists. An approval that was
// requested for one OperatorVersion must not apply to another one of the same name, which another
// user may have created.
func (s subjects) version(ctx context.Context, schema *v1alpha1.CRDSchema, approval *v1alpha1.Approval) (string, error) {
	ref := schema.Spec.OperatorVersionRef
	if ref == nil {
		return "", nil
	}
	found := base.Metadata(v1alpha1.SchemeGroupVersion.WithKind("OperatorVersion"))
	err := s.live.Get(ctx, client.ObjectKey{Name: ref.Name}, found)
	switch {
	case base.IsAbsent(err):
		return fmt.Sprintf("OperatorVersion %s no longer exists", ref.Name), nil
	case err != nil:
		return "", err
	case found.DeletionTimestamp != nil:
		return fmt.Sprintf("OperatorVersion %s is being deleted", ref.Name), nil
	}
	owner := metav1.GetControllerOf(schema)
	// A CRDSchema that was created manually has no owner. Its Approval was created while the
	// version existed.
	if owner != nil && owner.Kind == "OperatorVersion" && owner.UID != found.UID ||
		approval != nil && !approval.CreationTimestamp.IsZero() && found.CreationTimestamp.After(approval.CreationTimestamp.Time) {
		return fmt.Sprintf("OperatorVersion %s was deleted and created again", ref.Name), nil
	}
	return "", nil
}

// ofVersion returns requests for the Approvals of the CRDSchemas of an OperatorVersion.
func (r *reconciler) ofVersion(ctx context.Context, version client.Object) []reconcile.Request {
	var requests []reconcile.Request
	byVersion := client.MatchingFields{crdschemas.ByVersion: version.GetName()}
	for _, schema := range base.Requests(ctx, r.client, crdschemas.MetadataList(), byVersion) {
		requests = append(requests, r.dependentsOfName(ctx, schema.Name)...)
	}
	return requests
}
