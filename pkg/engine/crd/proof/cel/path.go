// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/cel"
)

// Each is the element of a path that stands for each item of a list and for each value of a map: the text of a rule does
// not tell which of both it walks through.
const Each = "[*]"

// Path leads from the value a rule is about to one below it: the names of properties as the schema has them, and Each. A
// name may as well be a key of a map: self.labels.app is read of both.
type Path []string

// String writes a path as it is read in a rule: spec.list[*].name.
func (p Path) String() string {
	return strings.ReplaceAll(strings.Join(p, "."), "."+Each, Each)
}

// to gives the path of an element below.
func (p Path) to(element string) Path {
	return append(slices.Clone(p), element)
}

// property gives the name that a property has in the schema.
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
