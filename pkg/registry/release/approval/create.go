// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// creation restricts the creation of Approvals to the controller, and sets the fields that only the
// server may set.
type creation struct {
	user    string
	objects *lookup.Objects
	clock   clock.PassiveClock
}

// begin is the hook of the store. It runs on create, on apply that creates, and on dry run.
func (c creation) begin(ctx context.Context, obj runtime.Object, _ *metav1.CreateOptions) (registry.FinishFunc, error) {
	approval := obj.(*release.Approval)
	caller, ok := genericapirequest.UserFrom(ctx)
	if !ok || c.user == "" || caller.GetName() != c.user {
		return nil, apierrors.NewForbidden(release.Resource("approvals"), approval.Name, fmt.Errorf(
			"only the controller creates Approvals, when a CRDSchema with a breaking change has the annotation %s",
			release.RequestApprovalAnnotation))
	}
	errs, err := c.fill(ctx, approval)
	if err != nil {
		return nil, err
	}
	if len(errs) > 0 {
		return nil, apierrors.NewInvalid(release.Kind("Approval"), approval.Name, errs)
	}
	return func(context.Context, bool) {}, nil
}

// fill sets every field that matters for the decision from the stored subject, never from the
// request.
func (c creation) fill(ctx context.Context, approval *release.Approval) (field.ErrorList, error) {
	path := field.NewPath("spec", "subject")
	spec := &approval.Spec
	if spec.Subject.Kind != validation.SubjectCRDSchema {
		return field.ErrorList{field.NotSupported(path.Child("kind"), spec.Subject.Kind, []string{validation.SubjectCRDSchema})}, nil
	}
	if spec.Subject.Name == "" {
		return field.ErrorList{field.Required(path.Child("name"), "")}, nil
	}
	schema, err := c.objects.CRDSchema(ctx, spec.Subject.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case schema == nil:
		return field.ErrorList{field.NotFound(path.Child("name"), spec.Subject.Name)}, nil
	case string(schema.UID) != spec.Subject.UID:
		return field.ErrorList{field.Invalid(path.Child("uid"), spec.Subject.UID,
			"is not the UID of the stored CRDSchema: it was deleted and created again")}, nil
	case schema.Status.Approval != release.ApprovalPending:
		return field.ErrorList{field.Invalid(path.Child("name"), spec.Subject.Name,
			"does not wait for an approval: its status.approval is not Pending")}, nil
	}
	behind, err := origins(ctx, c.objects, schema)
	if err != nil {
		return nil, err
	}
	requester := behind.requester(c.user)
	if requester == "" {
		return field.ErrorList{field.Invalid(path.Child("name"), spec.Subject.Name, behind.unknownRequester())}, nil
	}
	spec.Type = release.ApprovalBreakingCRDChange
	spec.Environment = ""
	spec.Levels = 1
	spec.Subject.Digest = digestOf(schema)
	spec.RequestedBy = requester
	// Times are stored in whole seconds.
	spec.RequestedAt = metav1.NewTime(c.clock.Now().UTC()).Rfc3339Copy()
	spec.Reason = firstCharacters(schema.Annotations[release.RequestApprovalAnnotation], validation.MaxDecisionReason)
	return nil, nil
}

// digestOf returns the digest that an Approval of a CRDSchema is bound to: the digest of the change
// from its baseline, or of the CRD alone if there is no baseline.
func digestOf(schema *release.CRDSchema) string {
	if against := schema.Status.Against; against != nil {
		return against.Change
	}
	return schema.Status.Digest
}

func firstCharacters(text string, most int) string {
	characters := []rune(text)
	return string(characters[:min(most, len(characters))])
}
