// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// newKind describes Approval to the shared strategies.
func newKind(scheme *runtime.Scheme, now clock.PassiveClock) generic.Kind[*release.Approval] {
	return generic.Kind[*release.Approval]{
		Scheme:        scheme,
		Resource:      release.Resource("approvals"),
		Singular:      release.Resource("approval"),
		ShortNames:    []string{"appr"},
		Versions:      []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		ClusterScoped: true,
		Halves:        generic.HalvesOf(func(a *release.Approval) (*release.ApprovalSpec, *release.ApprovalStatus) { return &a.Spec, &a.Status }),
		NewList:       generic.NewList[release.ApprovalList],
		FirstStatus: &generic.FirstStatus[*release.Approval]{
			Controller: "release-approval",
			Conditions: func(a *release.Approval) *[]metav1.Condition { return &a.Status.Conditions },
		},
		Stamp:          open,
		ValidateCreate: validation.ValidateApproval,
		ValidateUpdate: validation.ValidateApprovalUpdate,
		ValidateStatus: validation.ValidateApprovalStatus,
		Fields: []generic.SelectableField[*release.Approval]{
			{Path: "status.decision", Value: func(a *release.Approval) string { return string(a.Status.Decision) }},
			{Path: "spec.subject.name", Value: func(a *release.Approval) string { return a.Spec.Subject.Name }},
			{Path: "spec.environment", Value: func(a *release.Approval) string { return a.Spec.Environment }},
		},
		Columns: columns(now),
	}
}

// open sets the status of a new Approval to Pending, so that it can be decided before the
// controller processes it.
func open(_ context.Context, approval *release.Approval) {
	approval.Status.Decision = release.OutcomePending
	if after := approval.Spec.ExpiresAfter; after != nil {
		approval.Status.ExpiresAt = &metav1.Time{Time: approval.Spec.RequestedAt.Add(after.Duration)}
	}
}
