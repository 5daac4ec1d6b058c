// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
)

// validateJSONObject requires a JSON object of at most limit bytes. Errors do not repeat the
// content, because it may be confidential.
func validateJSONObject(content runtime.RawExtension, limit int, path *field.Path) field.ErrorList {
	if len(content.Raw) > limit {
		return field.ErrorList{tooLarge(path, len(content.Raw), limit)}
	}
	var object map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(content.Raw, &object); err != nil || object == nil {
		return field.ErrorList{field.TypeInvalid(path, field.OmitValueType{}, "must be an object (key: value)")}
	}
	return nil
}

func tooLarge(path *field.Path, size, limit int) *field.Error {
	return field.Invalid(path, field.OmitValueType{}, fmt.Sprintf("is too large: it has %d KiB of JSON, and may have %d",
		(size+1023)/1024, limit/1024))
}

// SameJSON reports whether two contents are semantically equal. The order of keys, white space,
// and the form of numbers (1 and 1.0) are ignored.
func SameJSON(a, b runtime.RawExtension) bool {
	return same(a, b, func(value any) any { return value })
}

// SameDefinition is SameJSON for manifests. A null member is equal to an absent member, because
// some clients omit null members.
func SameDefinition(a, b runtime.RawExtension) bool { return same(a, b, withoutNulls) }

func same(a, b runtime.RawExtension, prepare func(any) any) bool {
	if bytes.Equal(a.Raw, b.Raw) {
		return true
	}
	var valueA, valueB any
	if kjson.UnmarshalCaseSensitivePreserveInts(a.Raw, &valueA) != nil || kjson.UnmarshalCaseSensitivePreserveInts(b.Raw, &valueB) != nil {
		return false
	}
	return sameValue(prepare(valueA), prepare(valueB))
}

func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if member == nil {
				delete(value, name)
			} else {
				withoutNulls(member)
			}
		}
	case []any:
		for _, item := range value {
			withoutNulls(item)
		}
	}
	return value
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameValue)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	case int64:
		if b, ok := b.(float64); ok {
			return float64(a) == b
		}
	case float64:
		if b, ok := b.(int64); ok {
			return a == float64(b)
		}
	}
	switch b.(type) {
	case map[string]any, []any: // not comparable with ==
		return false
	}
	return a == b
}
