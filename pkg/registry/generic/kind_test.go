// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

var scheme = runtime.NewScheme()

func init() { install.Install(scheme) }

// testKind returns a kind with the simplest rules that can be distinguished, with the types of
// Domain.
func testKind() Kind[*takaro.Domain] {
	return Kind[*takaro.Domain]{
		Scheme:   scheme,
		Resource: takaro.Resource("domains"), Singular: takaro.Resource("domain"),
		ShortNames: []string{"dom"},
		Versions:   []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		Halves:     HalvesOf(func(d *takaro.Domain) (*takaro.DomainSpec, *takaro.DomainStatus) { return &d.Spec, &d.Status }),
		NewList:    NewList[takaro.DomainList],
		Prepare: func(d, old *takaro.Domain) {
			if old == nil {
				d.Spec.Name = strings.ToUpper(d.Name)
			}
		},
		ValidateCreate: func(*takaro.Domain) field.ErrorList {
			return field.ErrorList{field.Required(field.NewPath("create"), "")}
		},
		ValidateUpdate: func(_, _ *takaro.Domain) field.ErrorList {
			return field.ErrorList{field.Required(field.NewPath("update"), "")}
		},
		ValidateStatus: func(_, _ *takaro.Domain) field.ErrorList {
			return field.ErrorList{field.Required(field.NewPath("status"), "")}
		},
		Warnings: func(_ context.Context, d, old *takaro.Domain) []string {
			if old == nil {
				return []string{"new " + d.Name}
			}
			return []string{"changed " + d.Name}
		},
		Columns: []Column[*takaro.Domain]{
			{Name: "First", Description: "the first", Cell: func(d *takaro.Domain) any { return d.Spec.Name }},
			{Name: "Second", Type: "boolean", Wide: true, Cell: func(d *takaro.Domain) any { return d.Spec.Disabled }},
		},
	}
}
