// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Strategy is the strategy of all kinds for create, update and delete of the main resource: only
// the status subresource changes the status, and the generation counts changes of the spec (API
// conventions, "Metadata" and "Spec and Status").
type Strategy[T Object] struct {
	rest.DeclarativeValidation
	names.NameGenerator
	kind Kind[T]
}

// NewStrategy returns the main strategy of a kind.
func NewStrategy[T Object](kind Kind[T]) Strategy[T] {
	return Strategy[T]{
		DeclarativeValidation: rest.DeclarativeValidation{Scheme: kind.Scheme},
		NameGenerator:         names.SimpleNameGenerator,
		kind:                  kind,
	}
}

// NamespaceScoped reports whether objects are namespaced.
func (s Strategy[T]) NamespaceScoped() bool { return !s.kind.ClusterScoped }

// resetFields returns, for every served version, the named fields as fields that clients cannot
// set.
func (s Strategy[T]) resetFields(names ...string) map[fieldpath.APIVersion]*fieldpath.Set {
	reset := make(map[fieldpath.APIVersion]*fieldpath.Set, len(s.kind.Versions))
	for _, gv := range s.kind.Versions {
		fields := fieldpath.NewSet()
		for _, name := range names {
			fields.Insert(fieldpath.MakePathOrDie(name))
		}
		reset[fieldpath.APIVersion(gv.String())] = fields
	}
	return reset
}

// GetResetFields returns the fields that the main resource ignores, so that a client does not
// become their manager in server-side apply.
func (s Strategy[T]) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.resetFields("status")
}

// PrepareForCreate replaces the status by the first status, and sets the generation to 1.
func (s Strategy[T]) PrepareForCreate(ctx context.Context, obj runtime.Object) {
	object := obj.(T)
	s.kind.ClearStatus(object)
	s.kind.beginOwnership(object)
	if s.kind.FirstStatus != nil {
		s.kind.FirstStatus.begin(object)
	}
	object.SetGeneration(1)
	if s.kind.Prepare != nil {
		var none T
		s.kind.Prepare(object, none)
	}
	if s.kind.Stamp != nil {
		s.kind.Stamp(ctx, object)
	}
	for _, field := range s.kind.WriteOnly {
		field.scrub(object)
	}
}

// PrepareForUpdate keeps the stored status, and increments the generation if the spec changed.
func (s Strategy[T]) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	object, stored := obj.(T), old.(T)
	s.kind.CopyStatus(object, stored)
	if s.kind.Prepare != nil {
		s.kind.Prepare(object, stored)
	}
	changed := false
	for _, field := range s.kind.WriteOnly {
		// Every supplied value counts as a change; see suppliedInfo.
		changed = changed || field.supplied(object)
		field.keep(object, stored)
		field.scrub(object)
	}
	if changed || !apiequality.Semantic.DeepEqual(s.kind.Spec(object), s.kind.Spec(stored)) {
		object.SetGeneration(stored.GetGeneration() + 1)
		if s.kind.StampChange != nil {
			s.kind.StampChange(ctx, object)
		}
	}
}

// Validate returns every error of a new object.
func (s Strategy[T]) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	var errs field.ErrorList
	if s.kind.ValidateCreate != nil {
		errs = s.kind.ValidateCreate(obj.(T))
	}
	if len(errs) == 0 && s.kind.Judge != nil {
		errs = s.kind.Judge(ctx, obj.(T))
	}
	return errs
}

// ValidateUpdate returns every error of a changed object.
func (s Strategy[T]) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	if s.kind.ValidateUpdate == nil {
		return nil
	}
	return s.kind.ValidateUpdate(obj.(T), old.(T))
}

// WarningsOnCreate returns warnings for the client.
func (s Strategy[T]) WarningsOnCreate(ctx context.Context, obj runtime.Object) []string {
	if s.kind.Warnings == nil {
		return nil
	}
	var none T
	return s.kind.Warnings(ctx, obj.(T), none)
}

// WarningsOnUpdate returns warnings for the client.
func (s Strategy[T]) WarningsOnUpdate(ctx context.Context, obj, old runtime.Object) []string {
	if s.kind.Warnings == nil {
		return nil
	}
	return s.kind.Warnings(ctx, obj.(T), old.(T))
}

// Canonicalize does nothing: defaults and Prepare set all fields.
func (Strategy[T]) Canonicalize(runtime.Object) {}

// AllowCreateOnUpdate returns false: PUT does not create objects, as for most built-in kinds.
func (Strategy[T]) AllowCreateOnUpdate(context.Context) bool { return false }

// AllowUnconditionalUpdate returns false: a PUT must contain the resourceVersion that it is based
// on.
func (Strategy[T]) AllowUnconditionalUpdate(context.Context) bool { return false }

// StatusStrategy is the strategy of all kinds for the status subresource: it keeps the stored spec
// and metadata. It keeps metadata because the permission to write a status must not allow the
// removal of a finalizer, and because an object without its last finalizer must be deleted through
// the main resource, which releases its claims.
type StatusStrategy[T Object] struct {
	Strategy[T]
}

// NewStatusStrategy returns the strategy of the status subresource of a kind.
func NewStatusStrategy[T Object](main Strategy[T]) StatusStrategy[T] {
	return StatusStrategy[T]{Strategy: main}
}

// GetResetFields returns the fields that the status subresource ignores.
func (s StatusStrategy[T]) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.resetFields("metadata", "spec")
}

// PrepareForUpdate keeps the stored spec and metadata.
func (s StatusStrategy[T]) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	object, stored := obj.(T), old.(T)
	s.kind.CopySpec(object, stored)
	s.kind.keepOwnership(ctx, object, stored)
	if s.kind.KeepStatus != nil {
		s.kind.KeepStatus(object, stored)
	}
	metav1.ResetObjectMetaForStatus(object, stored)
}

// ValidateUpdate returns every error of a changed status.
func (s StatusStrategy[T]) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	if s.kind.ValidateStatus == nil {
		return nil
	}
	return s.kind.ValidateStatus(obj.(T), old.(T))
}

// WarningsOnUpdate returns no warnings, because controllers write the status.
func (StatusStrategy[T]) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}
