// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/cel"
)

// Each is the path element for the items of a list and the values of a map: the text of a rule does not show
// which of the two it iterates over.
const Each = "[*]"

// Path leads from the value that a rule applies to to a value below it: property names as in the schema, and
// Each. A name may also be a key of a map: self.labels.app can mean either.
type Path []string

// String returns a path in the notation of rules: spec.list[*].name.
func (p Path) String() string {
	return strings.ReplaceAll(strings.Join(p, "."), "."+Each, Each)
}

// to returns the path of an element below p.
func (p Path) to(element string) Path {
	return append(slices.Clone(p), element)
}

// property returns the name of a property in the schema.
func property(field string) string {
	if name, ok := cel.Unescape(field); ok {
		return name
	}
	return field
}

func sorted(paths []Path) []Path {
	slices.SortFunc(paths, slices.Compare[Path])
	return slices.CompactFunc(paths, slices.Equal[Path])
}
