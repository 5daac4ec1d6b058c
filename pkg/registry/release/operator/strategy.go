// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/release/common"
)

// newKind describes Operator to the shared strategies.
func newKind(scheme *runtime.Scheme) generic.Kind[*release.Operator] {
	return generic.Kind[*release.Operator]{
		Scheme:        scheme,
		Resource:      release.Resource("operators"),
		Singular:      release.Resource("operator"),
		ShortNames:    []string{"op"},
		Versions:      []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		ClusterScoped: true,
		Halves:        generic.HalvesOf(func(o *release.Operator) (*release.OperatorSpec, *release.OperatorStatus) { return &o.Spec, &o.Status }),
		NewList:       generic.NewList[release.OperatorList],
		FirstStatus: &generic.FirstStatus[*release.Operator]{
			Controller: "release-operator",
			Conditions: func(o *release.Operator) *[]metav1.Condition { return &o.Status.Conditions },
			SetPhase:   func(o *release.Operator) { o.Status.Phase = release.PhasePending },
		},
		Prepare:        prepare,
		Stamp:          stamp,
		StampChange:    stamp,
		KeepStatus:     func(to, stored *release.Operator) { to.Status.ChangedBy = stored.Status.ChangedBy },
		ValidateCreate: validation.ValidateOperator,
		ValidateUpdate: validation.ValidateOperatorUpdate,
		ValidateStatus: validation.ValidateOperatorStatus,
		Fields: []generic.SelectableField[*release.Operator]{
			{Path: "status.phase", Value: func(o *release.Operator) string { return string(o.Status.Phase) }},
		},
		Columns: columns,
	}
}

// stamp records the user that created the Operator or changed its spec. This user is the requester
// of the versions that the controller discovers.
func stamp(ctx context.Context, operator *release.Operator) {
	operator.Status.ChangedBy = common.Caller(ctx)
}

// prepare sets spec.releaseName: from metadata.name in a new object, unless that is too long for
// Helm, and from the stored object in an update that omits it. It keeps the stored values if the
// new ones are equal except for their encoding.
func prepare(operator, old *release.Operator) {
	spec := &operator.Spec
	switch {
	case spec.ReleaseName != "":
	case old != nil:
		spec.ReleaseName = old.Spec.ReleaseName
	case len(operator.Name) <= validation.MaxReleaseName:
		spec.ReleaseName = operator.Name
	}
	var stored release.OperatorSpec
	if old != nil {
		stored = old.Spec
	}
	if spec.Values != nil {
		if stored.Values == nil {
			stored.Values = &runtime.RawExtension{}
		}
		values := common.JSON(*spec.Values, *stored.Values, validation.SameJSON)
		spec.Values = &values
	}
	for environment, values := range spec.EnvironmentValues {
		spec.EnvironmentValues[environment] = common.JSON(values, stored.EnvironmentValues[environment], validation.SameJSON)
	}
}
