// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// walk compares two schemas of one version, or of two.
type walk struct {
	c       *Comparison
	version string
}

// spot is a position of a walk in the schemas.
type spot struct {
	path string
	// root is the resource itself.
	root bool
	// optional is set if the object that contains the value may be absent, absent if the value itself may be.
	optional, absent bool
	// item is set if the node is an item of a list, value if it is a value of a map.
	item, value bool
	// required is set if the parent requires the property in the new schema.
	required bool
	// atomic is set below a list whose items the API server does not correlate: it compares the list
	// as one value.
	atomic bool
	// above are the nodes of the new schema that contain the spot, from the root.
	above []*schema
}

func (s spot) place(version string) rules.Place {
	path := s.path
	if path == "" {
		path = "."
	}
	return rules.Place{Version: version, Path: path}
}

// status reports whether the value belongs to .status.
func (s spot) status() bool { return s.path == ".status" || strings.HasPrefix(s.path, ".status.") }

func (s spot) below(parent *schema) spot {
	return spot{path: s.path, atomic: s.atomic, above: append(s.above[:len(s.above):len(s.above)], parent)}
}

// property returns the spot of a property.
func (s spot) property(name string, old, new *schema) spot {
	next := s.below(new)
	next.path = s.path + "." + name
	next.required = new.required[name]
	next.optional, next.absent = s.absent, s.absent || !s.root && !old.requires(name)
	return next
}

func (s spot) values(new *schema) spot {
	next := s.below(new)
	next.path, next.value, next.optional, next.absent = s.path+".*", true, true, true
	return next
}

func (s spot) items(new *schema) spot {
	next := s.below(new)
	next.path, next.item, next.optional, next.absent = s.path+"[*]", true, true, true
	next.atomic = s.atomic || new.listType != "map"
	return next
}

// find adds a finding at a spot.
func (w *walk) find(id string, at spot, old, new any, format string, args ...any) *rules.Finding {
	return w.c.Find(id, at.place(w.version), old, new, format, args...)
}
