// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

const (
	// immutableOrigin marks the errors of fields that are immutable by declaration.
	immutableOrigin = "immutable"
	// nameField is set by NameFromMetadata.
	nameField = "spec.name"
	// maxShown is the maximum length of a value in an error, in bytes of JSON. A longer value, such
	// as a CRD, would hide the rest of the error.
	maxShown = 200
)

// ValidateDeclaratively adds details to the errors of declarative validation: the values of an
// immutable field, which the errors show as "null", and a note if an invalid name is a default.
func (s Strategy[T]) ValidateDeclaratively(ctx context.Context, obj, old runtime.Object, errs field.ErrorList, op operation.Type,
	config rest.DeclarativeValidationConfig) field.ErrorList {
	errs = s.DeclarativeValidation.ValidateDeclaratively(ctx, obj, old, errs, op, config)
	if len(errs) > 0 {
		s.kind.explain(errs, obj, old)
	}
	return errs
}

// explain changes errors in place. Values are read from the published form of the objects, which
// has no write-only fields.
func (k Kind[T]) explain(errs field.ErrorList, obj, old runtime.Object) {
	sent, stored := k.published(obj), k.published(old)
	for _, err := range errs {
		switch {
		case err.Origin == immutableOrigin && err.BadValue == nil:
			err.BadValue = orOmitted(valueAt(sent, err.Field))
			if before, shown := short(valueAt(stored, err.Field)); shown && !strings.Contains(err.Field, "[") {
				err.Detail = fmt.Sprintf("%s; the current value is %s", err.Detail, before)
			}
		case err.Field == nameField && old == nil && valueAt(sent, nameField) == obj.(T).GetName():
			err.Detail = strings.TrimPrefix(err.Detail+fmt.Sprintf("; it defaults to metadata.name: "+
				"use another object name, or set %s", nameField), "; ")
		}
	}
}

// published returns an object in the first served version, nil if there is no object.
func (k Kind[T]) published(obj runtime.Object) map[string]any {
	if obj == nil {
		return nil
	}
	converted, err := k.Scheme.ConvertToVersion(obj, k.Versions[0])
	if err != nil {
		return nil // the errors stay as they are
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(converted)
	if err != nil {
		return nil
	}
	return fields
}

// valueAt returns the value at a dotted path, nil if there is none, or if the path leads into a list.
func valueAt(fields map[string]any, path string) any {
	value, found, err := unstructured.NestedFieldNoCopy(fields, strings.Split(path, ".")...)
	if err != nil || !found {
		return nil
	}
	return value
}

// short returns a value as JSON, and whether it is short enough for an error. It returns "not set"
// for an unset field.
func short(value any) (string, bool) {
	if value == nil {
		return "not set", true
	}
	text, err := json.Marshal(value)
	return string(text), err == nil && len(text) <= maxShown
}

// orOmitted returns the value that an error shows.
func orOmitted(value any) any {
	if _, shown := short(value); !shown || value == nil {
		return field.OmitValueType{}
	}
	return value
}
