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

// Read returns the object as the server reads it from its store: pruned, without nulls where they are
// not allowed, and with defaults. It does not modify its argument.
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

// Create returns the server's errors when an object that it has read is recreated with its status.
func (s *Schema) Create(ctx context.Context, read *unstructured.Unstructured) field.ErrorList {
	return sayings(s.resource.(creator).Validate(ctx, read.DeepCopy()))
}

// replayed is a key that no real object uses.
const replayed = "roadstead.dev/replayed"

// UpdateMetadata returns the server's errors when only the metadata of an object that it has read
// changes: finalizers are removed if there are any; otherwise an annotation is added.
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

// UpdateStatus returns the server's errors for an update of the status that changes something at its top
// level and keeps all existing values. It returns none for objects without status and for kinds without
// the subresource.
func (s *Schema) UpdateStatus(ctx context.Context, read *unstructured.Unstructured) field.ErrorList {
	status, ok := read.Object["status"].(map[string]any)
	if s.status == nil || !ok {
		return nil
	}
	changed, old := updatable(read), updatable(read)
	// The old status gets an additional key, so that it is not equal while each of its values is.
	before := make(map[string]any, len(status)+1)
	for key, value := range old.Object["status"].(map[string]any) {
		before[key] = value
	}
	before[replayed] = ""
	old.Object["status"] = before
	return sayings(s.status.ValidateUpdate(ctx, changed, old))
}

// Apply returns the errors of server-side apply for a manifest that equals the object. The object must
// have been read under the schema of the client that applies it.
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

// updatable returns a copy with the fields that an update requires.
func updatable(read *unstructured.Unstructured) *unstructured.Unstructured {
	object := read.DeepCopy()
	if object.GetResourceVersion() == "" {
		object.SetResourceVersion("1")
	}
	return object
}

// sayings drops the note that rules were not evaluated: the other errors show the reason.
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
