// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

// WriteOnlyField is a field that clients write and never read. Three things together keep it in: the serving scheme
// converts objects without it (see package install of its group), the strategy keeps the stored value when a client
// leaves it out, and the store encrypts the whole object.
//
// A Store.Decorator would not do: watch events, answers to DELETE and error texts pass it by.
type WriteOnlyField[T Object] struct {
	// Path names the field in the published versions, for example spec, password.
	Path []string
	// Value returns where the field is.
	Value func(T) **writeonly.String
	// Superseded tells that the object names another source, so that a stored value is dropped. Optional.
	Superseded func(T) bool
}

// keep fills the field from the stored object when a client left it out, and drops it when another source is named.
func (f WriteOnlyField[T]) keep(object, stored T) {
	value := f.Value(object)
	if *value == nil && !f.superseded(object) {
		*value = *f.Value(stored)
	}
}

func (f WriteOnlyField[T]) superseded(object T) bool {
	return f.Superseded != nil && f.Superseded(object)
}

// scrub takes the field out of the annotation of client-side apply. The serving conversions have done so before; this is
// for what admission put in.
func (f WriteOnlyField[T]) scrub(object T) {
	object.SetAnnotations(writeonly.ScrubApplied(object.GetAnnotations(), f.Path...))
}
