// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/crdreview"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// unchanged requires that the subject of an Approval is now what it was when the question was asked: the same object, with
// the same change from the same baseline. Both definitions are read and their digest is made anew, so that nothing that
// anybody wrote into a status counts. It returns the subject.
func unchanged(ctx context.Context, objects *lookup.Objects, approval *release.Approval) (*release.CRDSchema, error) {
	subject := approval.Spec.Subject
	changed := func(format string, args ...any) error {
		return apierrors.NewConflict(release.Resource("approvals"), approval.Name, fmt.Errorf(
			"the subject changed: %s; this question cannot be answered any more: make %s %s anew, which asks again", fmt.Sprintf(format, args...), subject.Kind, subject.Name))
	}
	schema, err := objects.CRDSchema(ctx, subject.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case schema == nil:
		return nil, changed("%s %s is gone", subject.Kind, subject.Name)
	case string(schema.UID) != subject.UID:
		return nil, changed("%s %s was deleted and made anew", subject.Kind, subject.Name)
	case schema.Status.Against == nil:
		return nil, changed("%s %s is compared with nothing now", subject.Kind, subject.Name)
	}
	against, err := objects.CRDSchema(ctx, schema.Status.Against.Name)
	if err != nil {
		return nil, err
	}
	if against == nil {
		return nil, changed("CRDSchema %s, which it is compared with, is gone", schema.Status.Against.Name)
	}
	digest, err := crdreview.ChangeDigest(
		crdreview.Stored{Name: against.Name, Definition: against.Spec.Definition.Raw}, crdreview.Stored{Name: schema.Name, Definition: schema.Spec.Definition.Raw})
	if err != nil {
		return nil, err
	}
	if digest == "" || digest != subject.Digest {
		return nil, changed("CRDSchema %s, which it is compared with, holds another definition now", against.Name)
	}
	return schema, nil
}
