// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/validation"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// newKind describes Domain to the shared strategies.
func newKind(scheme *runtime.Scheme, controllerUser string) generic.Kind[*takaro.Domain] {
	return generic.Kind[*takaro.Domain]{
		Scheme:     scheme,
		Resource:   takaro.Resource("domains"),
		Singular:   takaro.Resource("domain"),
		ShortNames: []string{"dom"},
		Versions:   []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		Halves:     generic.HalvesOf(func(d *takaro.Domain) (*takaro.DomainSpec, *takaro.DomainStatus) { return &d.Spec, &d.Status }),
		NewList:    generic.NewList[takaro.DomainList],
		FirstStatus: &generic.FirstStatus[*takaro.Domain]{
			Controller: "takaro-domain",
			Conditions: func(d *takaro.Domain) *[]metav1.Condition { return &d.Status.Conditions },
			SetPhase:   func(d *takaro.Domain) { d.Status.Phase = takaro.DomainPending },
		},
		Prepare:        prepare,
		Ownership:      func(d *takaro.Domain) **ownership.Status { return &d.Status.Ownership },
		ControllerUser: controllerUser,
		ValidateCreate: validation.ValidateDomain,
		ValidateUpdate: validation.ValidateDomainUpdate,
		ValidateStatus: validation.ValidateDomainStatus,
		Warnings:       warnings,
		Fields: []generic.SelectableField[*takaro.Domain]{
			{Path: "spec.takaroApiUrl", Value: func(d *takaro.Domain) string { return d.Spec.TakaroAPIURL }},
			{Path: "status.domainId", Value: func(d *takaro.Domain) string { return d.Status.DomainID }},
			{Path: "status.phase", Value: func(d *takaro.Domain) string { return string(d.Status.Phase) }},
		},
		Columns: columns,
	}
}

var nameFromMetadata = generic.NameFromMetadata(func(d *takaro.Domain) *string { return &d.Spec.Name })

// prepare sets spec.name, except in an object that adopts a domain and has no name: the domain then
// keeps its name.
func prepare(domain, old *takaro.Domain) {
	unnamed := domain.Spec.Name == "" && (old == nil || old.Spec.Name == "")
	switch {
	case unnamed && domain.Spec.Adopt:
	case unnamed:
		nameFromMetadata(domain, nil)
	default:
		nameFromMetadata(domain, old)
	}
}

// warnings returns warnings about valid but risky input.
func warnings(_ context.Context, domain, old *takaro.Domain) []string {
	if old != nil && old.Spec.TakaroAPIURL == domain.Spec.TakaroAPIURL {
		return nil
	}
	address, err := url.Parse(domain.Spec.TakaroAPIURL)
	if err != nil || address.Scheme != "http" {
		return nil
	}
	return []string{"spec.takaroApiUrl uses http: Takaro's admin token and passwords are sent unencrypted"}
}
