// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

// WriteOnlyField is a field that clients write and never read. Three mechanisms keep its value
// secret: the serving scheme converts objects without it (see package install of its group), the
// strategy keeps the stored value if a client omits it, and the store encrypts the entire object.
//
// Store.Decorator is not sufficient: it does not apply to watch events, responses to DELETE and
// error texts.
type WriteOnlyField[T Object] struct {
	// Path is the field in the published versions, for example spec, password.
	Path []string
	// Value returns a pointer to the field.
	Value func(T) **writeonly.String
	// Superseded reports whether the object references another source, so that a stored value is
	// dropped. Optional.
	Superseded func(T) bool
}

// path returns Path in the form of managedFields.
func (f WriteOnlyField[T]) path() fieldpath.Path {
	path := fieldpath.Path{}
	for _, name := range f.Path {
		path = append(path, fieldpath.PathElement{FieldName: &name})
	}
	return path
}

// supplied reports whether a client sent a value. In an update through REST.Update, the field
// contains only such a value; see suppliedInfo.
func (f WriteOnlyField[T]) supplied(object T) bool { return *f.Value(object) != nil }

// keep copies the field from the stored object if a client omits it, and drops it if another source
// is referenced.
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
// it from requests of clients; scrub removes it if admission added it.
func (f WriteOnlyField[T]) scrub(object T) {
	object.SetAnnotations(writeonly.ScrubApplied(object.GetAnnotations(), f.Path...))
}
