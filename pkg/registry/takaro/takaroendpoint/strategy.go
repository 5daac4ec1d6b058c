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
		Scheme:      scheme,
		Resource:    takaro.Resource("takaroendpoints"),
		Singular:    takaro.Resource("takaroendpoint"),
		ShortNames:  []string{"tep"},
		Versions:    []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		New:         func() *takaro.TakaroEndpoint { return &takaro.TakaroEndpoint{} },
		NewList:     func() runtime.Object { return &takaro.TakaroEndpointList{} },
		Spec:        func(e *takaro.TakaroEndpoint) any { return &e.Spec },
		CopySpec:    func(to, from *takaro.TakaroEndpoint) { to.Spec = from.Spec },
		CopyStatus:  func(to, from *takaro.TakaroEndpoint) { to.Status = from.Status },
		ClearStatus: func(e *takaro.TakaroEndpoint) { e.Status = takaro.TakaroEndpointStatus{} },
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
