// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
)

// suppliedInfo returns changed objects whose write-only fields hold what the client supplied and
// nothing else. The change is made to a copy of the stored object without these fields, because
// some changes return the object that they were given: an apply that changes nothing, for example.
//
// The strategy counts every supplied value as a change of the spec. A dry run that did not count
// the stored value would let a client guess it without leaving a trace: the generation, and with it
// the times in managedFields, would show the right guess. An update that is stored may compare: a
// wrong guess replaces the value. So it drops the stored value, and a manifest that is applied
// twice changes nothing.
type suppliedInfo struct {
	rest.UpdatedObjectInfo
	fields writeOnlyFields
	dryRun bool
}

// UpdatedObject returns the changed object.
func (i suppliedInfo) UpdatedObject(ctx context.Context, stored runtime.Object) (runtime.Object, error) {
	object, err := i.UpdatedObjectInfo.UpdatedObject(ctx, i.fields.withoutValues(stored))
	if err == nil && !i.dryRun {
		i.fields.dropStored(object, stored)
	}
	return object, err
}

// writeOnlyFields are the write-only fields of a kind.
type writeOnlyFields interface {
	// withoutValues returns a copy of an object in which the fields are empty.
	withoutValues(object runtime.Object) runtime.Object
	// dropStored empties the fields of a changed object that hold the stored value.
	dropStored(object, stored runtime.Object)
}

// fieldsOf implements writeOnlyFields for one kind.
type fieldsOf[T Object] []WriteOnlyField[T]

func (f fieldsOf[T]) withoutValues(object runtime.Object) runtime.Object {
	copied := object.DeepCopyObject()
	for _, field := range f {
		*field.Value(copied.(T)) = nil
	}
	return copied
}

func (f fieldsOf[T]) dropStored(object, stored runtime.Object) {
	for _, field := range f {
		changed := object.(T)
		value, held := field.Value(changed), *field.Value(stored.(T))
		// A value next to another source is refused, whatever it is.
		if *value != nil && held != nil && **value == *held && !field.superseded(changed) {
			*value = nil
		}
	}
}
