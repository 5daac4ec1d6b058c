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
	// ShortNames are the short names of the resource for kubectl.
	ShortNames []string
	// Versions are the served versions of the kind; server-side apply resets fields in each.
	Versions []schema.GroupVersion
	// ClusterScoped is true for a kind without namespaces.
	ClusterScoped bool
	// Uncategorized excludes the kind from "kubectl get roadstead". It is for kinds with large
	// objects, and for kinds that are not meant for users.
	Uncategorized bool
	// Scalable adds the category scale to a kind with a scale subresource. k9s offers to scale only
	// kinds of that category.
	Scalable bool
	// Uncached serves lists and watches from etcd. It is for kinds whose objects may not fit into
	// memory.
	Uncached bool

	// Halves access the spec and the status; see HalvesOf.
	Halves[T]
	// NewList returns an empty list of the internal type.
	NewList func() runtime.Object

	// FirstStatus is the status of a new object until its controller writes it. Optional: for some
	// kinds the server sets the first status, and some kinds have no status.
	FirstStatus *FirstStatus[T]

	// Prepare sets fields that depend on metadata; old is the zero value of T on create. Optional.
	Prepare func(obj, old T)
	// Stamp sets fields that only the server may set, such as the user that created the object. It
	// runs after Prepare, on create only. Optional.
	Stamp func(ctx context.Context, obj T)
	// StampChange sets fields that only the server may set in an update that changes the spec, such
	// as the user that changed it. It runs after Prepare. Optional.
	StampChange func(ctx context.Context, obj T)
	// KeepStatus copies the fields that a status update must not change from the stored object.
	// Optional.
	KeepStatus func(to, stored T)
	// Ownership returns the part of the status that only the user ControllerUser can change, so
	// that a status that another client restores or copies does not allow the deletion of external
	// objects. Optional.
	Ownership func(T) **ownership.Status
	// ControllerUser is the name of Roadstead's controller. Required with Ownership.
	ControllerUser string
	// WriteOnly are the fields that are never returned to clients. Optional.
	WriteOnly []WriteOnlyField[T]
	// ValidateCreate and ValidateUpdate check rules that declarative validation cannot express.
	// Optional.
	ValidateCreate func(T) field.ErrorList
	ValidateUpdate func(obj, old T) field.ErrorList
	// Judge checks rules for a new object that depend on other objects. It runs after
	// ValidateCreate, and only if that returned no errors. Optional.
	Judge func(ctx context.Context, obj T) field.ErrorList
	// ValidateStatus checks a status update. Optional.
	ValidateStatus func(obj, old T) field.ErrorList
	// Warnings returns HTTP warnings for valid but risky input; old is the zero value of T on
	// create. Optional.
	Warnings func(ctx context.Context, obj, old T) []string

	// Fields are the fields that field selectors may name in addition to metadata. Each version
	// also needs a field label conversion in its scheme. Optional.
	Fields []SelectableField[T]

	// Unique and StatusUnique are fields whose values no two objects may share. Optional.
	Unique       []UniqueField[T]
	StatusUnique []UniqueStatusField[T]
	// Authorizer decides whether an error may name the object that has a value. Required with
	// Unique and StatusUnique.
	Authorizer authorizer.Authorizer

	// Columns are the columns of the kind's table between Name and Age.
	Columns []Column[T]
}
