// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// CredentialsREST is the subresource users/credentials: the only way to read spec.password. It is a create, so that no
// RBAC rule for reading covers it.
type CredentialsREST struct {
	store *registry.Store
}

var (
	_ rest.NamedCreater             = &CredentialsREST{}
	_ rest.GroupVersionKindProvider = &CredentialsREST{}
)

// New returns an empty body.
func (r *CredentialsREST) New() runtime.Object { return &takaro.UserCredentials{} }

// Destroy does nothing: the store belongs to the main resource.
func (r *CredentialsREST) Destroy() {}

// GroupVersionKind returns the kind of the request and the response.
func (r *CredentialsREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return v1alpha1.SchemeGroupVersion.WithKind("UserCredentials")
}

// Create returns the value of spec.password of a User; 404 with reason NotGiven if none is stored.
// It changes nothing, so a dry run returns the same response.
func (r *CredentialsREST) Create(ctx context.Context, name string, obj runtime.Object, validate rest.ValidateObjectFunc,
	_ *metav1.CreateOptions) (runtime.Object, error) {
	body, ok := obj.(*takaro.UserCredentials)
	if !ok || body.Password != "" {
		return nil, apierrors.NewBadRequest("the body must be an empty UserCredentials; the response contains the password")
	}
	if validate != nil {
		if err := validate(ctx, obj); err != nil {
			return nil, err
		}
	}
	found, err := r.store.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	given := found.(*takaro.User).Spec.Password
	if given == nil {
		return nil, notGiven(name)
	}
	return &takaro.UserCredentials{Password: string(*given)}, nil
}

func notGiven(name string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure,
		Code:   http.StatusNotFound,
		Reason: v1alpha1.StatusReasonNotGiven,
		Message: "spec.password of this User is not set; the password is in the Secret that spec.passwordSecretRef references, or it " +
			"was generated and is in the Secret of the User",
		Details: &metav1.StatusDetails{Group: takaro.GroupName, Kind: "users", Name: name},
	}}
}
