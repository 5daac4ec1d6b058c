// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// names compares the names that the API server allows to change.
func (c *comparison) names() {
	old, new := c.Old.Spec.Names, c.New.Spec.Names
	if old.ListKind != new.ListKind {
		c.Find("D04", rules.Place{Path: "spec.names.listKind"}, old.ListKind, new.ListKind,
			"lists have kind %s now: clients that decode lists by kind fail", new.ListKind)
	}
	if old.Singular != new.Singular {
		c.Find("D06", rules.Place{Path: "spec.names.singular"}, old.Singular, new.Singular,
			"kubectl accepts %s as a name of the kind now, but no longer %s", new.Singular, old.Singular)
	}
	if gone := lost(old.ShortNames, new.ShortNames); len(gone) > 0 {
		c.Find("D07", rules.Place{Path: "spec.names.shortNames"}, old.ShortNames, new.ShortNames,
			"kubectl no longer accepts %s: scripts that use it fail", strings.Join(gone, ", "))
	}
	if gone := lost(old.Categories, new.Categories); len(gone) > 0 {
		c.Find("D08", rules.Place{Path: "spec.names.categories"}, old.Categories, new.Categories, "kubectl get %s no longer shows these objects",
			strings.Join(gone, ", "))
	}
	if len(lost(new.ShortNames, old.ShortNames))+len(lost(new.Categories, old.Categories)) > 0 {
		c.Find("D09", rules.Place{Path: "spec.names"}, nil, nil, "kubectl accepts more names for the kind")
	}
}

// lost returns the names in old that are not in new.
func lost(old, new []string) []string {
	var gone []string
	for _, name := range old {
		if !slices.Contains(new, name) {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	return gone
}
