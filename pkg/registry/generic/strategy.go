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

// Strategy is what every kind does on create, update and delete through its main resource: status belongs to the
// controller, and the generation counts changes of the spec (API conventions, "Metadata" and "Spec and Status").
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

// NamespaceScoped tells whether objects live in namespaces.
func (s Strategy[T]) NamespaceScoped() bool { return !s.kind.ClusterScoped }

// resetFields says, for every served version, that the fields of names are not the client's to set.
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

// GetResetFields names what the main resource ignores, so that server-side apply does not let a client own it.
func (s Strategy[T]) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.resetFields("status")
}

// PrepareForCreate replaces the status by the first one and starts the generation at 1.
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

// PrepareForUpdate keeps the stored status and raises the generation when the spec changed.
func (s Strategy[T]) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	object, stored := obj.(T), old.(T)
	s.kind.CopyStatus(object, stored)
	if s.kind.Prepare != nil {
		s.kind.Prepare(object, stored)
	}
	changed := false
	for _, field := range s.kind.WriteOnly {
		// A supplied value is a change whatever it is; see suppliedInfo.
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

// Canonicalize changes nothing: defaults and Prepare have done it.
func (Strategy[T]) Canonicalize(runtime.Object) {}

// AllowCreateOnUpdate is false: PUT does not create, as for most built-in kinds.
func (Strategy[T]) AllowCreateOnUpdate(context.Context) bool { return false }

// AllowUnconditionalUpdate is false: a PUT must name the resourceVersion that it was made from.
func (Strategy[T]) AllowUnconditionalUpdate(context.Context) bool { return false }

// StatusStrategy is what every kind does through its status subresource: spec and metadata stay as stored. Metadata too,
// because the right to write a status is not the right to drop a finalizer, and because the object that loses its last
// finalizer must be removed through the main resource, which frees its claims.
type StatusStrategy[T Object] struct {
	Strategy[T]
}

// NewStatusStrategy returns the strategy of the status subresource of a kind.
func NewStatusStrategy[T Object](main Strategy[T]) StatusStrategy[T] {
	return StatusStrategy[T]{Strategy: main}
}

// GetResetFields names what the status subresource ignores.
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

// WarningsOnUpdate returns none: the status is written by controllers.
func (StatusStrategy[T]) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}
