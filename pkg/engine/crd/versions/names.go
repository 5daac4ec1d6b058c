// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// names compares the names that the server lets change.
func (c *comparison) names() {
	old, new := c.Old.Spec.Names, c.New.Spec.Names
	if old.ListKind != new.ListKind {
		c.Find("D04", rules.Place{Path: "spec.names.listKind"}, old.ListKind, new.ListKind,
			"lists have kind %s from now on: clients that decode lists by their kind fail", new.ListKind)
	}
	if old.Singular != new.Singular {
		c.Find("D06", rules.Place{Path: "spec.names.singular"}, old.Singular, new.Singular,
			"kubectl knows the kind as %s from now on, and as %s no more", new.Singular, old.Singular)
	}
	if gone := lost(old.ShortNames, new.ShortNames); len(gone) > 0 {
		c.Find("D07", rules.Place{Path: "spec.names.shortNames"}, old.ShortNames, new.ShortNames,
			"kubectl knows %s no more: scripts that use it fail", strings.Join(gone, ", "))
	}
	if gone := lost(old.Categories, new.Categories); len(gone) > 0 {
		c.Find("D08", rules.Place{Path: "spec.names.categories"}, old.Categories, new.Categories, "kubectl get %s shows these objects no more",
			strings.Join(gone, ", "))
	}
	if len(lost(new.ShortNames, old.ShortNames))+len(lost(new.Categories, old.Categories)) > 0 {
		c.Find("D09", rules.Place{Path: "spec.names"}, nil, nil, "kubectl knows more names for the kind")
	}
}

// lost are the names that are there no more.
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
