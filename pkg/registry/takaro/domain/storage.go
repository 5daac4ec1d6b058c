// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/registry/generic"
	engine "roadstead.dev/roadstead/pkg/takaro"
)

// NewREST returns the storage of Domains and of their status. (endpoint, externalReferenceId) is unique: the second
// Domain that types a reference of the same Takaro is refused with 409.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, claims *generic.Claims, authz authorizer.Authorizer, controllerUser string) (*generic.REST, *generic.StatusREST, error) {
	kind := newKind(scheme, controllerUser)
	main, status, err := generic.NewStore(kind, getter)
	if err != nil {
		return nil, nil, err
	}
	generic.UniqueField[*takaro.Domain]{
		Claims:     claims,
		Authorizer: authz,
		Field:      "spec.externalReferenceId",
		Key:        claimKey,
	}.Protect(main.Store, kind.Resource)
	return main, status, nil
}

// claimKey joins endpoint and reference; a NUL cannot be in either. What validation refuses claims nothing.
func claimKey(domain *takaro.Domain) string {
	if domain.Spec.ExternalReferenceID == "" {
		return ""
	}
	endpoint, err := engine.NormalizeURL(domain.Spec.TakaroAPIURL)
	if err != nil {
		return ""
	}
	return endpoint + "\x00" + domain.Spec.ExternalReferenceID
}
