// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
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
	// manager is the field manager of the request, "" if it names none. An apply always names one.
	manager string
}

// UpdatedObject returns the changed object.
func (i suppliedInfo) UpdatedObject(ctx context.Context, stored runtime.Object) (runtime.Object, error) {
	shown := i.fields.withoutValues(stored)
	base := shown.DeepCopyObject()
	if err := i.fields.hideOwners(base, i.manager); err != nil {
		return nil, err
	}
	object, err := i.UpdatedObjectInfo.UpdatedObject(ctx, base)
	if err != nil {
		return object, err
	}
	dropped := !i.dryRun && i.fields.dropStored(object, stored)
	if err := i.fields.keepOwners(object, stored, i.manager); err != nil || !dropped {
		return object, err
	}
	// To the field manager the supplied value was a change, so it set the time of the entry, and sorted the entries by time.
	inOrderOf(object.(metav1.Object), shown.(metav1.Object))
	return fieldmanager.IgnoreManagedFieldsTimestampsTransformer(ctx, object, shown)
}

// writeOnlyFields are the write-only fields of a kind.
type writeOnlyFields interface {
	// withoutValues returns a copy of an object in which the fields are empty.
	withoutValues(object runtime.Object) runtime.Object
	// hideOwners removes the owners of the fields, except manager, from an object.
	hideOwners(object runtime.Object, manager string) error
	// dropStored empties the fields of a changed object that hold the stored value, and reports whether there were any.
	dropStored(object, stored runtime.Object) bool
	// keepOwners gives the fields that a changed object leaves empty their stored owners again, except manager.
	keepOwners(object, stored runtime.Object, manager string) error
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

func (f fieldsOf[T]) hideOwners(object runtime.Object, manager string) error {
	for _, field := range f {
		if err := hideOwners(object.(T), field.path(), manager); err != nil {
			return err
		}
	}
	return nil
}

func (f fieldsOf[T]) keepOwners(object, stored runtime.Object, manager string) error {
	for _, field := range f {
		if field.supplied(object.(T)) {
			continue // a new value, whose owner the field manager has found
		}
		if err := showOwners(object.(T), stored.(T), field.path(), manager); err != nil {
			return err
		}
	}
	return nil
}

func (f fieldsOf[T]) dropStored(object, stored runtime.Object) bool {
	dropped := false
	for _, field := range f {
		changed := object.(T)
		value, held := field.Value(changed), *field.Value(stored.(T))
		// A value next to another source is refused, whatever it is.
		if *value != nil && held != nil && **value == *held && !field.superseded(changed) {
			*value, dropped = nil, true
		}
	}
	return dropped
}
