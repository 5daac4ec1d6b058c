// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

// WriteOnlyField is a field that clients write and never read. Three things together keep its value
// secret: the serving scheme converts objects without it (see package install of its group), the
// strategy keeps the stored value if a client leaves it out, and the store encrypts the whole
// object.
//
// Store.Decorator is not enough: watch events, answers to DELETE and error texts do not pass
// through it.
type WriteOnlyField[T Object] struct {
	// Path is the field in the published versions, for example spec, password.
	Path []string
	// Value returns where the field is.
	Value func(T) **writeonly.String
	// Superseded reports whether the object names another source, so that a stored value is
	// dropped. Optional.
	Superseded func(T) bool
}

// path returns Path as managedFields have it.
func (f WriteOnlyField[T]) path() fieldpath.Path {
	path := fieldpath.Path{}
	for _, name := range f.Path {
		path = append(path, fieldpath.PathElement{FieldName: &name})
	}
	return path
}

// supplied reports whether a client sent a value. In an update that passed through REST.Update, the
// field holds nothing else; see suppliedInfo.
func (f WriteOnlyField[T]) supplied(object T) bool { return *f.Value(object) != nil }

// keep fills the field from the stored object if a client left it out, and drops it if another
// source is named.
func (f WriteOnlyField[T]) keep(object, stored T) {
	value := f.Value(object)
	if *value == nil && !f.superseded(object) {
		*value = *f.Value(stored)
	}
}

func (f WriteOnlyField[T]) superseded(object T) bool {
	return f.Superseded != nil && f.Superseded(object)
}

// scrub removes the field from the annotation of client-side apply. The serving conversions remove
// it from what clients send; this removes it from what admission added.
func (f WriteOnlyField[T]) scrub(object T) {
	object.SetAnnotations(writeonly.ScrubApplied(object.GetAnnotations(), f.Path...))
}
