// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// Object is an internal API object with a spec and a status.
type Object interface {
	runtime.Object
	metav1.Object
}

// Kind describes one kind to the shared strategies. T is its internal type, for example *takaro.Domain. Fields that say
// "optional" may be nil; all others are required.
type Kind[T Object] struct {
	// Scheme is the server's scheme; declarative validation is looked up in it.
	Scheme *runtime.Scheme
	// Resource is the plural resource, Singular its singular.
	Resource, Singular schema.GroupResource
	// ShortNames are the short forms that kubectl takes.
	ShortNames []string
	// Versions are the served versions of the kind; server-side apply resets fields in each.
	Versions []schema.GroupVersion
	// ClusterScoped is true for a kind without namespaces.
	ClusterScoped bool
	// Uncategorized keeps the kind out of "kubectl get roadstead": for what is large, or not for people.
	Uncategorized bool
	// Scalable adds the category scale to a kind with a scale subresource: k9s offers to scale the kinds of that category only.
	Scalable bool
	// Uncached serves lists and watches from the store: for kinds of which there may be more than fits into memory.
	Uncached bool

	// Halves are what all kinds do with the spec and the status; HalvesOf returns them.
	Halves[T]
	// NewList returns an empty list of the internal type.
	NewList func() runtime.Object

	// FirstStatus is what the status of a new object says until its controller writes it. Optional: the server itself
	// writes the first status of some kinds, and others have none.
	FirstStatus *FirstStatus[T]

	// Prepare fills what needs metadata; old is the zero value of T on create. Optional.
	Prepare func(obj, old T)
	// Stamp fills what the server knows and a client may not say, such as who made the object. It runs after Prepare, on
	// create only. Optional.
	Stamp func(ctx context.Context, obj T)
	// StampChange fills what the server knows about an update that changes the spec, such as who made it. It runs after Prepare.
	// Optional.
	StampChange func(ctx context.Context, obj T)
	// KeepStatus copies what a status update may not change from the stored object. Optional.
	KeepStatus func(to, stored T)
	// Ownership returns the part of the status that only the user ControllerUser changes: a status that another client
	// restores or copies does not bring the right to delete outside objects. Optional.
	Ownership func(T) **ownership.Status
	// ControllerUser is the name of Roadstead's controller. Required with Ownership.
	ControllerUser string
	// WriteOnly are the fields that are never shown. Optional.
	WriteOnly []WriteOnlyField[T]
	// ValidateCreate and ValidateUpdate return what declarative validation cannot say. Optional.
	ValidateCreate func(T) field.ErrorList
	ValidateUpdate func(obj, old T) field.ErrorList
	// Judge returns what can be said of a new object only with the help of others; it runs after ValidateCreate, and only
	// when that found nothing. Optional.
	Judge func(ctx context.Context, obj T) field.ErrorList
	// ValidateStatus checks a status update. Optional.
	ValidateStatus func(obj, old T) field.ErrorList
	// Warnings returns HTTP warnings for legal but risky input; old is the zero value of T on create. Optional.
	Warnings func(ctx context.Context, obj, old T) []string

	// Fields are what field selectors may name besides metadata; each version also needs a field label conversion in its
	// scheme. Optional.
	Fields []SelectableField[T]

	// Unique and StatusUnique are fields whose values no two objects may share. Optional.
	Unique       []UniqueField[T]
	StatusUnique []UniqueStatusField[T]
	// Authorizer decides whether a refused caller may know who holds a value. Required with either.
	Authorizer authorizer.Authorizer

	// Columns are the columns of the kind's table between Name and Age.
	Columns []Column[T]
}
