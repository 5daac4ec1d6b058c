// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/crd/structure"
)

// comparison finds what a change does to versions.
type comparison struct{ *structure.Comparison }

// Compare is pass 3: names, versions that come, go or change places, what each of them serves, and conversion.
func Compare(change *structure.Comparison) {
	c := &comparison{change}
	c.names()
	c.legacy()
	for i := range c.Old.Spec.Versions {
		old := &c.Old.Spec.Versions[i]
		if new := manifest.VersionOf(c.New, old.Name); new != nil {
			c.serving(old, new)
			c.endpoints(old, new)
			c.columns(old, new)
		} else {
			c.versionGone(old)
		}
	}
	for i := range c.New.Spec.Versions {
		if manifest.VersionOf(c.Old, c.New.Spec.Versions[i].Name) == nil {
			c.versionAdded(&c.New.Spec.Versions[i])
		}
	}
	c.storage()
	c.conversion()
	c.pairs()
}

// legacy reports the switch that v1 has no more.
func (c *comparison) legacy() {
	if c.Old.Spec.PreserveUnknownFields && !c.New.Spec.PreserveUnknownFields {
		c.Find("803", rules.Place{Path: "spec.preserveUnknownFields"}, true, false,
			"every field that no schema declares is pruned from stored objects at the next read, and any write makes the loss final")
	}
}

// serving compares whether a version is served, and said to be deprecated.
func (c *comparison) serving(old, new *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := rules.Place{Version: old.Name, Path: "served"}
	switch {
	case old.Served && !new.Served:
		c.Find("E04", at, true, false, "requests for version %s get 404: clients, manifests and controllers that use it fail", old.Name)
	case !old.Served && new.Served:
		c.Find("E05", at, false, true, "version %s is served%s", old.Name, c.preferredMoves())
	}
	at.Path = "deprecated"
	switch {
	case !old.Deprecated && new.Deprecated:
		c.Find("E13", at, nil, new.DeprecationWarning, "requests for version %s get a warning", old.Name)
	case old.Deprecated && !new.Deprecated:
		c.Find("E14", at, old.DeprecationWarning, nil, "requests for version %s get a warning no more", old.Name)
	}
}

// preferred is the version that kubectl and discovery choose: of those served, the first by the rules of
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning.
func preferred(definition *apiextensionsv1.CustomResourceDefinition) string {
	best := ""
	for _, candidate := range definition.Spec.Versions {
		if candidate.Served && (best == "" || version.CompareKubeAwareVersionStrings(candidate.Name, best) > 0) {
			best = candidate.Name
		}
	}
	return best
}

// preferredMoves says so where it does.
func (c *comparison) preferredMoves() string {
	if was, is := preferred(c.Old), preferred(c.New); was != is && is != "" {
		return "; kubectl and discovery prefer " + is + " to " + was + " from now on"
	}
	return ""
}

func (c *comparison) versionGone(old *apiextensionsv1.CustomResourceDefinitionVersion) {
	if slices.Contains(c.Old.Status.StoredVersions, old.Name) {
		return // refused: see CRD-E02, CRD-E03
	}
	at := rules.Place{Version: old.Name}
	if old.Served {
		c.Find("E01", at, nil, nil, "version %s is gone: requests for it get 404, Helm releases whose manifests name it cannot be "+
			"upgraded, and server-side apply fails on objects whose managedFields name it", old.Name)
		return
	}
	c.Find("E01", at, nil, nil, "version %s is gone; it was served no more, but server-side apply fails on objects whose "+
		"managedFields still name it", old.Name).Verdict = rules.Review
}

func (c *comparison) versionAdded(new *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := rules.Place{Version: new.Name}
	if !new.Served {
		c.Find("E06", at, nil, nil, "version %s comes, not yet served", new.Name).Verdict = rules.Informational
		return
	}
	moves := c.preferredMoves()
	finding := c.Find("E06", at, nil, nil, "version %s comes%s", new.Name, moves)
	if moves == "" {
		finding.Verdict = rules.Safe
	}
}
