// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	"k8s.io/apiserver/pkg/registry/rest"
)

// suppliedInfo returns changed objects whose write-only fields contain only what the client
// supplied. The change is applied to a copy of the stored object without these fields, because some
// changes return the object that they receive, for example an apply that changes nothing.
//
// The strategy counts every supplied value as a change of the spec. If a dry run did not count the
// stored value, a client could guess the value without leaving a trace: the generation and the
// times in managedFields would show a correct guess. An update that is stored may compare the
// values, because a wrong guess replaces the value. So it drops a value that equals the stored one,
// and a manifest that is applied twice changes nothing.
type suppliedInfo struct {
	rest.UpdatedObjectInfo
	fields writeOnlyFields
	dryRun bool
	// manager is the field manager of the request, "" if it has none. An apply always has one.
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
	// For the field manager the supplied value was a change, so it set the time of the entry, and
	// sorted the entries by time.
	inOrderOf(object.(metav1.Object), shown.(metav1.Object))
	return fieldmanager.IgnoreManagedFieldsTimestampsTransformer(ctx, object, shown)
}

// writeOnlyFields are the write-only fields of a kind.
type writeOnlyFields interface {
	// withoutValues returns a copy of an object in which the fields are empty.
	withoutValues(object runtime.Object) runtime.Object
	// hideOwners removes the owners of the fields from an object, except manager.
	hideOwners(object runtime.Object, manager string) error
	// dropStored clears the fields of a changed object that contain the stored value, and reports
	// whether there were any.
	dropStored(object, stored runtime.Object) bool
	// keepOwners restores the stored owners of the fields that are empty in a changed object,
	// except manager.
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
		// A value in addition to another source is always refused.
		if *value != nil && held != nil && **value == *held && !field.superseded(changed) {
			*value, dropped = nil, true
		}
	}
	return dropped
}
