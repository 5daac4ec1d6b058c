// SPDX-License-Identifier: Apache-2.0

package user

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// NewREST returns the storage of Users, of their status, and of their credentials. (domainRef, lower-case e-mail) is
// unique in a namespace: the second User of the same identity in a domain is refused with 409.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, claims *generic.Claims, authz authorizer.Authorizer, controllerUser string) (*generic.REST, *generic.StatusREST, *CredentialsREST, error) {
	kind := newKind(scheme, controllerUser)
	main, status, err := generic.NewStore(kind, getter)
	if err != nil {
		return nil, nil, nil, err
	}
	generic.UniqueField[*takaro.User]{
		Claims:     claims,
		Authorizer: authz,
		Field:      "spec.email",
		Key:        claimKey,
	}.Protect(main.Store, kind.Resource)
	return main, status, &CredentialsREST{store: main.Store}, nil
}

// claimKey joins namespace, domain and identity; a NUL cannot be in any. What validation refuses claims nothing.
func claimKey(user *takaro.User) string {
	if user.Spec.Email == "" || user.Spec.DomainRef.Name == "" {
		return ""
	}
	return strings.Join([]string{user.Namespace, user.Spec.DomainRef.Name, strings.ToLower(user.Spec.Email)}, "\x00")
}
