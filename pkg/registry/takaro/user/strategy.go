// SPDX-License-Identifier: Apache-2.0

package user

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/validation"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// newKind describes User to the shared strategies.
func newKind(scheme *runtime.Scheme, controllerUser string) generic.Kind[*takaro.User] {
	return generic.Kind[*takaro.User]{
		Scheme:     scheme,
		Resource:   takaro.Resource("users"),
		Singular:   takaro.Resource("user"),
		ShortNames: []string{"tuser"},
		Versions:   []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		Halves:     generic.HalvesOf(func(u *takaro.User) (*takaro.UserSpec, *takaro.UserStatus) { return &u.Spec, &u.Status }),
		NewList:    generic.NewList[takaro.UserList],
		FirstStatus: &generic.FirstStatus[*takaro.User]{
			Controller: "takaro-user",
			Conditions: func(u *takaro.User) *[]metav1.Condition { return &u.Status.Conditions },
			SetPhase:   func(u *takaro.User) { u.Status.Phase = takaro.UserPending },
		},
		Prepare:        prepare,
		WriteOnly:      []generic.WriteOnlyField[*takaro.User]{password},
		Ownership:      func(u *takaro.User) **ownership.Status { return &u.Status.Ownership },
		ControllerUser: controllerUser,
		ValidateCreate: validation.ValidateUser,
		ValidateUpdate: validation.ValidateUserUpdate,
		ValidateStatus: validation.ValidateUserStatus,
		Fields: []generic.SelectableField[*takaro.User]{
			{Path: "spec.domainRef.name", Value: func(u *takaro.User) string { return u.Spec.DomainRef.Name }},
			{Path: "spec.email", Value: func(u *takaro.User) string { return u.Spec.Email }},
			{Path: "status.phase", Value: func(u *takaro.User) string { return string(u.Status.Phase) }},
		},
		Columns: columns,
	}
}

// password is spec.password. A stored value is dropped if the object references a Secret.
var password = generic.WriteOnlyField[*takaro.User]{
	Path:       []string{"spec", "password"},
	Value:      func(u *takaro.User) **writeonly.String { return &u.Spec.Password },
	Superseded: func(u *takaro.User) bool { return u.Spec.PasswordSecretRef != nil },
}

// prepare fills spec.name.
var prepare = generic.NameFromMetadata(func(u *takaro.User) *string { return &u.Spec.Name })
