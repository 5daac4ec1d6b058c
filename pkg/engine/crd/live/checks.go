// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Read is the object as the server reads it from its store: without what is not declared, without nulls where there may
// be none, and with defaults. The object given stays as it is.
func (s *Schema) Read(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	read := object.DeepCopy()
	meta, hasMeta, err := objectmeta.GetObjectMeta(read.Object, true)
	if err != nil {
		return nil, err
	}
	if !s.preserveUnknownFields {
		pruning.Prune(read.Object, s.structural, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(read.Object, s.structural)
	}
	if err := objectmeta.Coerce(nil, read.Object, s.structural, false, true); err != nil {
		return nil, err
	}
	if hasMeta {
		if meta.Generation == 0 {
			meta.Generation = 1
		}
		if err := objectmeta.SetObjectMeta(read.Object, meta); err != nil {
			return nil, err
		}
	}
	read.SetGroupVersionKind(s.kind)
	defaulting.Default(read.Object, s.structural)
	return read, nil
}

// Create is what the server says where an object that it has read is made anew, with its status.
func (s *Schema) Create(ctx context.Context, read *unstructured.Unstructured) field.ErrorList {
	return sayings(s.resource.(creator).Validate(ctx, read.DeepCopy()))
}

// replayed is a key that no object has.
const replayed = "roadstead.dev/replayed"

// UpdateMetadata is what the server says where nothing but the metadata of an object that it has read changes: finalizers
// go where there are any; else an annotation comes.
func (s *Schema) UpdateMetadata(ctx context.Context, read *unstructured.Unstructured) field.ErrorList {
	old := updatable(read)
	changed := old.DeepCopy()
	if len(changed.GetFinalizers()) > 0 {
		changed.SetFinalizers(nil)
	} else {
		annotations := changed.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[replayed] = ""
		changed.SetAnnotations(annotations)
	}
	s.resource.PrepareForUpdate(ctx, changed, old)
	return sayings(s.resource.ValidateUpdate(ctx, changed, old))
}

// UpdateStatus is what the server says of an update of the status that changes something at its top and leaves all that
// is there as it is. Objects without status, and kinds without the subresource, have none.
func (s *Schema) UpdateStatus(ctx context.Context, read *unstructured.Unstructured) field.ErrorList {
	status, ok := read.Object["status"].(map[string]any)
	if s.status == nil || !ok {
		return nil
	}
	changed, old := updatable(read), updatable(read)
	// The old status had one thing more, so that it is not equal, and each of its values is.
	before := make(map[string]any, len(status)+1)
	for key, value := range old.Object["status"].(map[string]any) {
		before[key] = value
	}
	before[replayed] = ""
	old.Object["status"] = before
	return sayings(s.status.ValidateUpdate(ctx, changed, old))
}

// Apply is what server-side apply says to a manifest that is the object itself. The object is one that was read under the
// schema of whoever applies it.
func (s *Schema) Apply(object *unstructured.Unstructured) typed.ValidationErrors {
	manifest := object.DeepCopy()
	manifest.SetGroupVersionKind(s.kind)
	manifest.SetManagedFields(nil)
	_, err := s.types.ObjectToTyped(manifest)
	if err == nil {
		return nil
	}
	var several typed.ValidationErrors
	if errors.As(err, &several) {
		return several
	}
	return typed.ValidationErrors{{ErrorMessage: err.Error()}}
}

// updatable is a copy with what an update must have.
func updatable(read *unstructured.Unstructured) *unstructured.Unstructured {
	object := read.DeepCopy()
	if object.GetResourceVersion() == "" {
		object.SetResourceVersion("1")
	}
	return object
}

// sayings leaves out the remark that rules were not evaluated: the errors before it say why.
func sayings(errs field.ErrorList) field.ErrorList {
	var kept field.ErrorList
	for _, err := range errs {
		if err.Type == field.ErrorTypeInvalid && (err.Field == "" || err.Field == "<nil>") && err.Detail == notEvaluated {
			continue
		}
		kept = append(kept, err)
	}
	return kept
}

const notEvaluated = "some validation rules were not checked because the object was invalid; correct the existing errors to " +
	"complete validation"
