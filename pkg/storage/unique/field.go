// SPDX-License-Identifier: Apache-2.0

package unique

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Field is a field of a kind of which no two objects may have the same value.
type Field struct {
	// Path is the path of the field in errors, for example spec.externalReferenceId.
	Path string
	// Folder separates the records from those of other fields of the kind. At most one field has no
	// folder.
	Folder string
	// Values returns the values of an object, nil if it has none. A value in the status may change,
	// a value in the spec must not.
	Values func(runtime.Object) []Value
}

// Value is a unique value, in parts without NUL. The last part is the value of the field, the parts
// before it are its scope.
type Value []string

// Key returns the value as one text, as it is stored.
func (v Value) Key() string { return strings.Join(v, "\x00") }

// Owner is the object that holds or wants a value.
type Owner struct {
	Resource  string    `json:"resource"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid"`
}

// sameName reports whether both owners have the same name, so that only one of them can exist.
func (o Owner) sameName(other Owner) bool {
	return o.Namespace == other.Namespace && o.Name == other.Name
}

// TakenError is returned if another object has a value.
type TakenError struct {
	// Field is the path, Value the value in it.
	Field, Value string
	// Wanted is the object that was refused, Holder the object that has the value.
	Wanted, Holder Owner
	// Update is true for an update of an existing object.
	Update bool
}

// Error names the holder; show it only to callers who may get that object.
func (e *TakenError) Error() string {
	return fmt.Sprintf("%s: %q is in use by %s %s/%s", e.Field, e.Value, e.Holder.Resource, e.Holder.Namespace, e.Holder.Name)
}
