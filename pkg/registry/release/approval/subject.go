// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"roadstead.dev/roadstead/pkg/apis/release"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// unchanged returns the subject of an Approval, or an error if the subject changed since the
// Approval was requested: it must be the same object, with the same change from the same baseline.
// The digest is computed again from the stored CRDs, so that the decision does not depend on the
// status.
func unchanged(ctx context.Context, objects *lookup.Objects, approval *release.Approval) (*release.CRDSchema, error) {
	subject := approval.Spec.Subject
	changed := func(format string, args ...any) error {
		return apierrors.NewConflict(release.Resource("approvals"), approval.Name, fmt.Errorf(
			"the subject changed: %s; this Approval can no longer be granted. To request another one, create %s %s again",
			fmt.Sprintf(format, args...), subject.Kind, subject.Name))
	}
	schema, err := objects.CRDSchema(ctx, subject.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case schema == nil:
		return nil, changed("%s %s no longer exists", subject.Kind, subject.Name)
	case string(schema.UID) != subject.UID:
		return nil, changed("%s %s was deleted and created again", subject.Kind, subject.Name)
	case schema.Status.Approval != release.ApprovalPending:
		return nil, changed("%s %s no longer waits for an approval", subject.Kind, subject.Name)
	}
	var old *crdpolicy.Stored
	differs := fmt.Sprintf("CRDSchema %s is no longer compared with another one, or its CRD changed", schema.Name)
	if schema.Status.Against != nil {
		against, err := objects.CRDSchema(ctx, schema.Status.Against.Name)
		if err != nil {
			return nil, err
		}
		if against == nil {
			return nil, changed("CRDSchema %s, which it is compared with, no longer exists", schema.Status.Against.Name)
		}
		old = &crdpolicy.Stored{Name: against.Name, Definition: against.Spec.Definition.Raw}
		differs = fmt.Sprintf("CRDSchema %s, which it is compared with, has another CRD now", against.Name)
	}
	digest, err := crdpolicy.ChangeDigest(old, crdpolicy.Stored{Name: schema.Name, Definition: schema.Spec.Definition.Raw})
	if err != nil {
		return nil, err
	}
	if digest == "" || digest != subject.Digest {
		return nil, changed("%s", differs)
	}
	return schema, nil
}
