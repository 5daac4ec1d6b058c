// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/release/common"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// OperatorField is the name of the field selector for the Operator.
const OperatorField = "spec.operatorRef.name"

// newKind describes OperatorVersion to the shared strategies.
func newKind(scheme *runtime.Scheme, objects *lookup.Objects, controllerUser string) generic.Kind[*release.OperatorVersion] {
	return generic.Kind[*release.OperatorVersion]{
		Scheme:        scheme,
		Resource:      release.Resource("operatorversions"),
		Singular:      release.Resource("operatorversion"),
		ShortNames:    []string{"opv"},
		Versions:      []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		ClusterScoped: true,
		Halves: generic.HalvesOf(func(v *release.OperatorVersion) (*release.OperatorVersionSpec, *release.OperatorVersionStatus) {
			return &v.Spec, &v.Status
		}),
		NewList: generic.NewList[release.OperatorVersionList],
		FirstStatus: &generic.FirstStatus[*release.OperatorVersion]{
			Controller: "release-operatorversion",
			Conditions: func(v *release.OperatorVersion) *[]metav1.Condition { return &v.Status.Conditions },
			SetPhase:   func(v *release.OperatorVersion) { v.Status.Phase = release.PhasePending },
		},
		Stamp: stamp(objects, controllerUser),
		KeepStatus: func(to, stored *release.OperatorVersion) {
			to.Status.CreatedBy, to.Status.RequestedBy = stored.Status.CreatedBy, stored.Status.RequestedBy
		},
		ValidateCreate: validation.ValidateOperatorVersion,
		ValidateUpdate: validation.ValidateOperatorVersionUpdate,
		ValidateStatus: validation.ValidateOperatorVersionStatus,
		Warnings:       warnings(objects),
		Fields: []generic.SelectableField[*release.OperatorVersion]{
			{Path: OperatorField, Value: func(v *release.OperatorVersion) string { return v.Spec.OperatorRef.Name }},
			{Path: "status.phase", Value: func(v *release.OperatorVersion) string { return string(v.Status.Phase) }},
		},
		Columns: columns,
	}
}

// stamp returns a function that records the creator and the requester of a new version. If the
// controller discovered the version, the requester is the user that last changed the Operator. An
// unknown requester stays empty, and no Approval is created until it is known.
func stamp(objects *lookup.Objects, controllerUser string) func(context.Context, *release.OperatorVersion) {
	return func(ctx context.Context, version *release.OperatorVersion) {
		caller := common.Caller(ctx)
		version.Status.CreatedBy, version.Status.RequestedBy = caller, caller
		if caller != controllerUser {
			return
		}
		version.Status.RequestedBy = ""
		if operator, err := objects.Operator(ctx, version.Spec.OperatorRef.Name); err == nil && operator != nil {
			version.Status.RequestedBy = operator.Status.ChangedBy
		}
	}
}

// warnings returns a warning for a new version whose Operator does not exist. The Operator may be
// created later, or its name may be misspelled.
func warnings(objects *lookup.Objects) func(context.Context, *release.OperatorVersion, *release.OperatorVersion) []string {
	return func(ctx context.Context, version, old *release.OperatorVersion) []string {
		if old != nil {
			return nil
		}
		name := version.Spec.OperatorRef.Name
		if operator, err := objects.Operator(ctx, name); err != nil || operator != nil {
			return nil
		}
		return []string{fmt.Sprintf("spec.operatorRef.name: Operator %q does not exist; the version is not Ready until it is created", name)}
	}
}
