// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	engine "roadstead.dev/roadstead/pkg/engine/takaro"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

// NewREST returns the storage of Domains and of their status. (endpoint, externalReferenceId) is
// unique: a second Domain for the same domain of the same Takaro is refused with 422, reason
// Duplicate.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, authz authorizer.Authorizer,
	controllerUser string) (*generic.REST, *generic.StatusREST, error) {
	kind := newKind(scheme, controllerUser)
	kind.Unique = []generic.UniqueField[*takaro.Domain]{{Field: "spec.externalReferenceId", Value: reference}}
	kind.Authorizer = authz
	return generic.NewStore(kind, getter)
}

// reference returns the endpoint and the externalReferenceId; nil if validation refuses them.
func reference(domain *takaro.Domain) unique.Value {
	if domain.Spec.ExternalReferenceID == "" {
		return nil
	}
	endpoint, err := engine.NormalizeURL(domain.Spec.TakaroAPIURL)
	if err != nil {
		return nil
	}
	return unique.Value{endpoint, domain.Spec.ExternalReferenceID}
}
