// SPDX-License-Identifier: Apache-2.0

package user

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

// NewREST returns the storage of Users, of their status, and of their credentials. (domainRef, lower-case e-mail) is unique
// in a namespace: a second User of the same identity in a domain is refused with 422, reason Duplicate.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, authz authorizer.Authorizer,
	controllerUser string) (*generic.REST, *generic.StatusREST, *CredentialsREST, error) {
	kind := newKind(scheme, controllerUser)
	kind.Unique = []generic.UniqueField[*takaro.User]{{Field: "spec.email", Value: login}}
	kind.Authorizer = authz
	main, status, err := generic.NewStore(kind, getter)
	if err != nil {
		return nil, nil, nil, err
	}
	return main, status, &CredentialsREST{store: main.Store}, nil
}

// login returns namespace, Domain and e-mail; nil if validation refuses them.
func login(user *takaro.User) unique.Value {
	if user.Spec.Email == "" || user.Spec.DomainRef.Name == "" {
		return nil
	}
	return unique.Value{user.Namespace, user.Spec.DomainRef.Name, strings.ToLower(user.Spec.Email)}
}
