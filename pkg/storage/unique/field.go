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
	// Path is what errors name, for example spec.externalReferenceId.
	Path string
	// Folder separates the records from those of other fields of the kind. At most one field has none.
	Folder string
	// Values returns what an object has there; nil: nothing. One in the status may change, one in the spec may not.
	Values func(runtime.Object) []Value
}

// Value is what must be unique, in parts without NUL. The last part is the value of the field, those before it are its scope.
type Value []string

// Key is the value as one text, as it is stored.
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

// TakenError says that another object holds a value.
type TakenError struct {
	// Field is the path, Value the value in it.
	Field, Value string
	// Wanted is the object that was refused, Holder the one that holds the value.
	Wanted, Holder Owner
	// Update is true when the value was to be added to an object that exists.
	Update bool
}

// Error names the holder; show it only to callers who may get that object.
func (e *TakenError) Error() string {
	return fmt.Sprintf("%s: %q is in use by %s %s/%s", e.Field, e.Value, e.Holder.Resource, e.Holder.Namespace, e.Holder.Name)
}
