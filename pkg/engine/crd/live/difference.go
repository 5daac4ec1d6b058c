// SPDX-License-Identifier: Apache-2.0

package live

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Effect is an effect of reading a value.
type Effect string

const (
	// Pruned values are removed or changed.
	Pruned Effect = "pruned"
	// NullDropped is a null that is removed.
	NullDropped Effect = "null dropped"
	// NullDefaulted is a null that is replaced by a default.
	NullDefaulted Effect = "null defaulted"
	// Defaulted values did not exist before.
	Defaulted Effect = "defaulted"
)

// Difference is one effect of reading an object under another schema.
type Difference struct {
	Effect Effect
	// Path is the path within the schema, such as .spec.list[*].x.
	Path string
	// Example is the path in this object, such as .spec.list[0].x.
	Example string
}

// Differences returns the differences between an object as read under the old and under the new schema,
// sorted by path, with each place of the object once. Schemas do not affect metadata.
func Differences(old, new *Schema, before, after map[string]any) []Difference {
	d := differ{}
	d.fields(before, after, node{old.structural, new.structural}, "", "")
	return d.found
}

type differ struct{ found []Difference }

func (d *differ) add(effect Effect, path, example string) {
	d.found = append(d.found, Difference{effect, path, example})
}

func (d *differ) value(before, after any, at node, path, example string) {
	switch was := before.(type) {
	case map[string]any:
		if is, ok := after.(map[string]any); ok {
			d.fields(was, is, at, path, example)
			return
		}
	case []any:
		if is, ok := after.([]any); ok && len(was) == len(is) {
			step, child := at.item()
			for i := range was {
				d.value(was[i], is[i], child, path+step, example+"["+strconv.Itoa(i)+"]")
			}
			return
		}
	}
	if reflect.DeepEqual(before, after) {
		return
	}
	if before == nil {
		d.add(NullDefaulted, path, example)
		return
	}
	d.add(Pruned, path, example)
}

func (d *differ) fields(before, after map[string]any, at node, path, example string) {
	names := map[string]bool{}
	for name := range before {
		names[name] = true
	}
	for name := range after {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if path == "" && typeOrMeta[name] {
			continue
		}
		step, child := at.field(name)
		was, had := before[name]
		is, has := after[name]
		switch {
		case had && has:
			d.value(was, is, child, path+step, example+"."+name)
		case had && was == nil:
			d.add(NullDropped, path+step, example+"."+name)
		case had:
			d.add(Pruned, path+step, example+"."+name)
		default:
			d.add(Defaulted, path+step, example+"."+name)
		}
	}
}
