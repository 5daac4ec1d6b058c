// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"encoding/json"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// decoded returns a schema value as encoding/json decodes it, so that 1, 1.0 and 1e0 are equal.
// A value that is not valid JSON is returned as text.
func decoded(raw apiextensionsv1.JSON) any {
	var value any
	if err := json.Unmarshal(raw.Raw, &value); err != nil {
		return string(raw.Raw)
	}
	return value
}

// shownWhole returns the canonical JSON of a decoded value.
func shownWhole(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "unreadable: " + err.Error()
	}
	return string(encoded)
}

// Canonical returns the canonical JSON of a schema value, independent of how the value is written.
func Canonical(raw apiextensionsv1.JSON) string { return shownWhole(decoded(raw)) }

func setOf(names []string) map[string]bool {
	if len(names) == 0 {
		return nil
	}
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return names
}

func sortedKeys[K interface{ ~string | ~float64 }, V any](m map[K]V) []K {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

func valueOr(value *string, otherwise string) string {
	if value == nil || *value == "" {
		return otherwise
	}
	return *value
}
