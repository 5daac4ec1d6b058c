// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/validation"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// newKind describes MockServer to the shared strategies.
func newKind(scheme *runtime.Scheme, controllerUser string) generic.Kind[*takaro.MockServer] {
	return generic.Kind[*takaro.MockServer]{
		Scheme:     scheme,
		Resource:   takaro.Resource("mockservers"),
		Singular:   takaro.Resource("mockserver"),
		ShortNames: []string{"mock"},
		Scalable:   true,
		Versions:   []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		Halves: generic.HalvesOf(func(m *takaro.MockServer) (*takaro.MockServerSpec, *takaro.MockServerStatus) {
			return &m.Spec, &m.Status
		}),
		NewList: generic.NewList[takaro.MockServerList],
		FirstStatus: &generic.FirstStatus[*takaro.MockServer]{
			Controller: "takaro-mockserver",
			Conditions: func(m *takaro.MockServer) *[]metav1.Condition { return &m.Status.Conditions },
			SetPhase:   func(m *takaro.MockServer) { m.Status.Phase = takaro.MockServerPending },
		},
		Prepare:        prepare,
		Ownership:      func(m *takaro.MockServer) **ownership.Status { return &m.Status.Ownership },
		ControllerUser: controllerUser,
		ValidateCreate: validation.ValidateMockServer,
		ValidateUpdate: validation.ValidateMockServerUpdate,
		ValidateStatus: validation.ValidateMockServerStatus,
		Fields: []generic.SelectableField[*takaro.MockServer]{
			{Path: "spec.domainRef.name", Value: domainName},
			{Path: "status.phase", Value: func(m *takaro.MockServer) string { return string(m.Status.Phase) }},
		},
		Columns: columns,
	}
}

// domainName returns the name of the Domain, "" for the MockServer of a domain without one.
func domainName(m *takaro.MockServer) string {
	if m.Spec.DomainRef == nil {
		return ""
	}
	return m.Spec.DomainRef.Name
}

// prepare fills spec.name.
var prepare = generic.NameFromMetadata(func(m *takaro.MockServer) *string { return &m.Spec.Name })
