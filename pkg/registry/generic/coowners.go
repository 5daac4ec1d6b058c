// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"bytes"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A write-only field never causes a conflict of server-side apply. The field manager compares the
// applied object with one that does not contain the stored value, so an equal value would cause a
// conflict as well. A conflict only for different values would let a client confirm guesses without
// a trace. So the other owners of the field are hidden from the field manager, and restored if the
// value does not change. The manager that writes a new value is its only owner.

// hideOwners removes a field from the entries of an object's managedFields, except from the entry
// of applier, which loses the field if it no longer applies it.
func hideOwners(object metav1.Object, path fieldpath.Path, applier string) error {
	var left []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		set, owns, err := ownedBy(entry, path, applier)
		if err != nil {
			return err
		}
		if owns {
			set = set.Difference(fieldpath.NewSet(path))
			if set.Empty() {
				continue
			}
			if entry.FieldsV1, err = encoded(set); err != nil {
				return err
			}
		}
		left = append(left, entry)
	}
	object.SetManagedFields(left)
	return nil
}

// showOwners adds a field to the entries that own it in the stored object and from which hideOwners
// removed it.
func showOwners(object, stored metav1.Object, path fieldpath.Path, applier string) error {
	entries := slices.Clone(object.GetManagedFields())
	for place, entry := range stored.GetManagedFields() {
		_, owns, err := ownedBy(entry, path, applier)
		if err != nil {
			return err
		}
		if !owns {
			continue
		}
		at := slices.IndexFunc(entries, func(one metav1.ManagedFieldsEntry) bool { return sameManager(one, entry) })
		set := &fieldpath.Set{}
		if at < 0 {
			// The manager owned no other field, or lost the other fields in this change.
			at = min(place, len(entries))
			entries = slices.Insert(entries, at, entry)
		} else if set, err = fieldsOfEntry(entries[at]); err != nil {
			return err
		}
		set.Insert(path)
		if entries[at].FieldsV1, err = encoded(set); err != nil {
			return err
		}
	}
	object.SetManagedFields(entries)
	return nil
}

// inOrderOf sorts the entries of an object's managedFields like the stored ones, if they have the
// same managers.
func inOrderOf(object, stored metav1.Object) {
	entries := object.GetManagedFields()
	var ordered []metav1.ManagedFieldsEntry
	for _, entry := range stored.GetManagedFields() {
		at := slices.IndexFunc(entries, func(one metav1.ManagedFieldsEntry) bool { return sameManager(one, entry) })
		if at < 0 {
			return
		}
		ordered = append(ordered, entries[at])
	}
	if len(ordered) == len(entries) {
		object.SetManagedFields(ordered)
	}
}

// ownedBy returns the fields of an entry, and whether they contain the field. It returns false for
// the entry of applier, and for entries of subresources.
func ownedBy(entry metav1.ManagedFieldsEntry, path fieldpath.Path, applier string) (*fieldpath.Set, bool, error) {
	if entry.Subresource != "" || entry.Operation == metav1.ManagedFieldsOperationApply && entry.Manager == applier {
		return nil, false, nil
	}
	set, err := fieldsOfEntry(entry)
	if err != nil {
		return nil, false, err
	}
	return set, set.Has(path), nil
}

func sameManager(a, b metav1.ManagedFieldsEntry) bool {
	return a.Manager == b.Manager && a.Operation == b.Operation && a.APIVersion == b.APIVersion && a.Subresource == b.Subresource
}

func fieldsOfEntry(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := &fieldpath.Set{}
	if entry.FieldsV1 == nil {
		return set, nil
	}
	if err := set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())); err != nil {
		return nil, fmt.Errorf("decode managedFields of %q: %w", entry.Manager, err)
	}
	return set, nil
}

func encoded(set *fieldpath.Set) (*metav1.FieldsV1, error) {
	text, err := set.ToJSON()
	if err != nil {
		return nil, fmt.Errorf("encode managedFields: %w", err)
	}
	fields := &metav1.FieldsV1{}
	fields.SetRawBytes(text)
	return fields, nil
}
