// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/validation"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// newKind describes TakaroEndpoint to the shared strategies.
func newKind(scheme *runtime.Scheme) generic.Kind[*takaro.TakaroEndpoint] {
	return generic.Kind[*takaro.TakaroEndpoint]{
		Scheme:     scheme,
		Resource:   takaro.Resource("takaroendpoints"),
		Singular:   takaro.Resource("takaroendpoint"),
		ShortNames: []string{"tep"},
		Versions:   []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		Halves: generic.HalvesOf(func(e *takaro.TakaroEndpoint) (*takaro.TakaroEndpointSpec, *takaro.TakaroEndpointStatus) {
			return &e.Spec, &e.Status
		}),
		NewList: generic.NewList[takaro.TakaroEndpointList],
		FirstStatus: &generic.FirstStatus[*takaro.TakaroEndpoint]{
			Controller: "takaro-endpoint",
			Conditions: func(e *takaro.TakaroEndpoint) *[]metav1.Condition { return &e.Status.Conditions },
		},
		ValidateCreate: validation.ValidateTakaroEndpoint,
		ValidateStatus: validation.ValidateTakaroEndpointStatus,
		Fields: []generic.SelectableField[*takaro.TakaroEndpoint]{
			{Path: "spec.url", Value: func(e *takaro.TakaroEndpoint) string { return e.Spec.URL }},
		},
		Columns: columns,
	}
}
