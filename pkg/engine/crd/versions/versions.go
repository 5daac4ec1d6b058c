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

// comparison is the comparison of the versions of a CRD.
type comparison struct{ *structure.Comparison }

// Compare is pass 3: names, added, removed and reordered versions, what each of them serves, and conversion.
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

// legacy reports changes of spec.preserveUnknownFields, which v1 does not allow any more.
func (c *comparison) legacy() {
	if c.Old.Spec.PreserveUnknownFields && !c.New.Spec.PreserveUnknownFields {
		c.Find("803", rules.Place{Path: "spec.preserveUnknownFields"}, true, false,
			"undeclared fields are pruned from stored objects at the next read and lost permanently at the next write")
	}
}

// serving compares whether a version is served or deprecated.
func (c *comparison) serving(old, new *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := rules.Place{Version: old.Name, Path: "served"}
	switch {
	case old.Served && !new.Served:
		c.Find("E04", at, true, false,
			"requests for version %s fail with 404, which breaks clients, manifests and controllers that use it", old.Name)
	case !old.Served && new.Served:
		c.Find("E05", at, false, true, "version %s is served%s", old.Name, c.preferredMoves())
	}
	at.Path = "deprecated"
	switch {
	case !old.Deprecated && new.Deprecated:
		c.Find("E13", at, nil, new.DeprecationWarning, "responses for version %s include a warning", old.Name)
	case old.Deprecated && !new.Deprecated:
		c.Find("E14", at, old.DeprecationWarning, nil, "responses for version %s no longer include a warning", old.Name)
	}
}

// preferred returns the version that kubectl and discovery prefer: the served version with the highest
// priority, see
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

// preferredMoves returns the part of a message about a new preferred version, or "".
func (c *comparison) preferredMoves() string {
	if was, is := preferred(c.Old), preferred(c.New); was != is && is != "" {
		return "; kubectl and discovery prefer " + is + " instead of " + was
	}
	return ""
}

func (c *comparison) versionGone(old *apiextensionsv1.CustomResourceDefinitionVersion) {
	if slices.Contains(c.Old.Status.StoredVersions, old.Name) {
		return // rejected: see CRD-E02, CRD-E03
	}
	at := rules.Place{Version: old.Name}
	if old.Served {
		c.Find("E01", at, nil, nil, "version %s was removed: requests for it fail with 404, Helm releases whose manifests use it cannot "+
			"be upgraded, and server-side apply fails on objects whose managedFields name it", old.Name)
		return
	}
	c.Find("E01", at, nil, nil, "version %s was removed; it was no longer served, but server-side apply fails on objects whose "+
		"managedFields still name it", old.Name).Verdict = rules.Review
}

func (c *comparison) versionAdded(new *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := rules.Place{Version: new.Name}
	if !new.Served {
		c.Find("E06", at, nil, nil, "version %s is added but not served", new.Name).Verdict = rules.Informational
		return
	}
	moves := c.preferredMoves()
	finding := c.Find("E06", at, nil, nil, "version %s is added%s", new.Name, moves)
	if moves == "" {
		finding.Verdict = rules.Safe
	}
}
