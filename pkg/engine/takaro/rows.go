// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"encoding/json"
)

// rows decodes at most max elements of a JSON array, because a few bytes of JSON may be a large element in memory.
type rows[T any] struct {
	max  int
	list []T
	more bool // the array has more than max elements
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *rows[T]) UnmarshalJSON(data []byte) error {
	in := json.NewDecoder(bytes.NewReader(data))
	if start, err := in.Token(); err != nil || start != json.Delim('[') {
		return errNotTakaro
	}
	for in.More() {
		if r.more = len(r.list) == r.max; r.more {
			return nil
		}
		var element T
		if err := in.Decode(&element); err != nil {
			return err
		}
		r.list = append(r.list, element)
	}
	return nil
}

// maxRoles is the maximum number of roles of a user. Takaro's dashboard shows a handful.
const maxRoles = 1000

// AssignedRoles are the roles of a user.
type AssignedRoles []AssignedRole

// UnmarshalJSON implements json.Unmarshaler. It returns an error for more than maxRoles roles.
func (a *AssignedRoles) UnmarshalJSON(data []byte) error {
	*a = nil
	if string(data) == "null" {
		return nil
	}
	decoded := rows[AssignedRole]{max: maxRoles}
	if err := decoded.UnmarshalJSON(data); err != nil {
		return err
	}
	if decoded.more {
		return errTooLarge
	}
	*a = decoded.list
	return nil
}
