// SPDX-License-Identifier: Apache-2.0

package live

import (
	"maps"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// topologyChange is a list or map whose elements are owned differently under the new schema.
type topologyChange struct {
	path  string
	steps []string
	what  string
}

// topologyChanges returns the changes between two schemas, sorted by path.
func topologyChanges(old, new *Schema) []topologyChange {
	var changes []topologyChange
	visitTopology(node{old.structural, new.structural}, nil, func(steps []string, what string) {
		changes = append(changes, topologyChange{path: pathOf(steps), steps: slices.Clone(steps), what: what})
	})
	slices.SortFunc(changes, func(a, b topologyChange) int { return strings.Compare(a.path, b.path) })
	return changes
}

func pathOf(steps []string) string { return strings.Join(steps, "") }

func visitTopology(at node, steps []string, changed func(steps []string, what string)) {
	if at.old == nil || at.new == nil {
		return
	}
	if before, after := topologyOf(at.old), topologyOf(at.new); before != after && before != "" && after != "" && at.old.Type == at.new.Type {
		changed(steps, before+" → "+after)
	}
	if _, items := at.item(); items.old != nil && items.new != nil {
		visitTopology(items, append(steps, "[*]"), changed)
	}
	for name := range at.old.Properties {
		if step, child := at.field(name); child.new != nil {
			visitTopology(child, append(slices.Clone(steps), step), changed)
		}
	}
	if at.old.AdditionalProperties != nil && at.new.AdditionalProperties != nil {
		visitTopology(node{at.old.AdditionalProperties.Structural, at.new.AdditionalProperties.Structural},
			append(slices.Clone(steps), ".*"), changed)
	}
}

// topologyOf describes the ownership of the elements of a list or map; it returns "" for other values.
func topologyOf(s *structuralschema.Structural) string {
	switch s.Type {
	case "array":
		kind := "atomic"
		if s.XListType != nil {
			kind = *s.XListType
		}
		if kind == "map" {
			keys := slices.Sorted(slices.Values(s.XListMapKeys))
			return "list map of [" + strings.Join(keys, ", ") + "]"
		}
		return "list " + kind
	case "object":
		if s.XMapType != nil && *s.XMapType == "atomic" {
			return "map atomic"
		}
		return "map granular"
	}
	return ""
}

// coOwned returns the paths of the changes at which several managers apply the object, with the names of
// these managers.
func coOwned(object *unstructured.Unstructured, changes []topologyChange) map[string][]string {
	if len(changes) == 0 {
		return nil
	}
	// Indexed by the path of a change, then by the path of the list or map in the object.
	managers := map[string]map[string]map[string]bool{}
	for _, entry := range object.GetManagedFields() {
		if entry.Operation != metav1.ManagedFieldsOperationApply || entry.FieldsV1 == nil {
			continue
		}
		var owned fieldpath.Set
		if err := owned.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			continue
		}
		for path := range owned.All() {
			for _, change := range changes {
				if !under(path, change.steps) {
					continue
				}
				at := path[:len(change.steps)].String()
				if managers[change.path] == nil {
					managers[change.path] = map[string]map[string]bool{}
				}
				if managers[change.path][at] == nil {
					managers[change.path][at] = map[string]bool{}
				}
				managers[change.path][at][entry.Manager] = true
			}
		}
	}
	several := map[string][]string{}
	for path, places := range managers {
		for _, at := range slices.Sorted(maps.Keys(places)) {
			if len(places[at]) > 1 && several[path] == nil {
				several[path] = slices.Sorted(maps.Keys(places[at]))
			}
		}
	}
	return several
}

// under reports whether an owned field is at the place of the steps or below it.
func under(path fieldpath.Path, steps []string) bool {
	if len(path) < len(steps) {
		return false
	}
	for i, step := range steps {
		switch {
		case step == "[*]":
			if path[i].FieldName != nil {
				return false
			}
		case path[i].FieldName == nil:
			return false
		case step != ".*" && step != "."+*path[i].FieldName:
			return false
		}
	}
	return true
}
