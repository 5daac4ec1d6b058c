// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"fmt"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// SelectableField is a field that field selectors may name.
type SelectableField[T Object] struct {
	// Path is the name of the field in selectors, such as status.decision.
	Path string
	// Value returns the value of an object; "path=" selects an empty one.
	Value func(T) string
}

// attributes returns the labels and fields that selectors are matched against.
func (k Kind[T]) attributes(obj runtime.Object) (labels.Set, fields.Set, error) {
	object, ok := obj.(T)
	if !ok {
		return nil, nil, fmt.Errorf("cannot select %T as %T", obj, *new(T))
	}
	set := fields.Set{"metadata.name": object.GetName()}
	if !k.ClusterScoped {
		set["metadata.namespace"] = object.GetNamespace()
	}
	for _, field := range k.Fields {
		set[field.Path] = field.Value(object)
	}
	return labels.Set(object.GetLabels()), set, nil
}

// matches returns the predicate of a selection.
func (k Kind[T]) matches(label labels.Selector, field fields.Selector) storage.SelectionPredicate {
	return storage.SelectionPredicate{Label: label, Field: field, GetAttrs: k.attributes}
}
