// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

func storageOf(definition *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionVersion {
	for i := range definition.Spec.Versions {
		if definition.Spec.Versions[i].Storage {
			return &definition.Spec.Versions[i]
		}
	}
	return nil
}

func converts(definition *apiextensionsv1.CustomResourceDefinition) bool {
	return definition.Spec.Conversion != nil && definition.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
}

// storage compares the storage versions.
func (c *comparison) storage() {
	was, is := storageOf(c.Old), storageOf(c.New)
	if was == nil || is == nil || was.Name == is.Name {
		return
	}
	at := rules.Place{Version: was.Name + "→" + is.Name, Path: "storage"}
	c.Find("E26", at, was.Name, is.Name, "objects are stored as %s at their next write; status.storedVersions keeps %s until a "+
		"migration has rewritten all objects, and %s cannot be removed before", is.Name, was.Name, was.Name)
	if converts(c.New) {
		return
	}
	for _, difference := range c.Between(was, is) {
		switch {
		case difference.Loses() && c.reported(was.Name, difference.Path):
			c.Find("E23", rules.Place{Version: at.Version, Path: difference.Path}, difference.Old, difference.New,
				"version %s, the new storage version, does not keep this field, and neither does %s any more (%s)", is.Name, was.Name, difference.Code)
		case difference.Loses():
			c.Find("E17", rules.Place{Version: at.Version, Path: difference.Path}, difference.Old, difference.New,
				"version %s, the new storage version, does not keep what %s keeps here: the first write of an object, in any version, "+
					"drops the value permanently (%s)", is.Name, was.Name, difference.Code)
		case difference.Verdict.AtLeast(rules.Breaking) && manifest.VersionOf(c.Old, is.Name) != nil && !c.reported(is.Name, difference.Path):
			c.Find("E22", rules.Place{Version: at.Version, Path: difference.Path}, difference.Old, difference.New,
				"version %s, the new storage version, is stricter here than %s: values that are valid in the latter are stored as invalid values (%s)",
				is.Name, was.Name, difference.Code)
		}
	}
}

// conversion compares how versions are converted.
func (c *comparison) conversion() {
	at := rules.Place{Path: "spec.conversion"}
	was, is := converts(c.Old), converts(c.New)
	switch {
	case was && !is:
		c.conversionGone(at)
	case !was && is:
		c.Find("E11", at, "None", "Webhook",
			"every read and write in a version other than the storage version requires the webhook: if it is unavailable, so is the kind")
	case was && is && !apiequality.Semantic.DeepEqual(manifest.ComparedSpec(c.Old).Conversion, manifest.ComparedSpec(c.New).Conversion):
		c.Find("E12", at, nil, nil, "conversion uses another endpoint, or other review versions: the webhook must respond there before "+
			"the CRD is applied")
	}
}

// conversionGone reports what is lost without the webhook.
func (c *comparison) conversionGone(at rules.Place) {
	lossy := false
	for _, pair := range c.livePairs() {
		for _, difference := range c.Between(pair[0], pair[1]) {
			if difference.Verdict.AtLeast(rules.Breaking) {
				lossy = true
				c.Find("E10", rules.Place{Version: pair[0].Name + "→" + pair[1].Name, Path: difference.Path}, difference.Old, difference.New,
					"without the webhook, conversion changes only the apiVersion: what %s does not keep here is lost or invalid (%s)",
					pair[1].Name, difference.Code)
			}
		}
	}
	if !lossy {
		c.Find("E10", at, "Webhook", "None",
			"conversion no longer needs a webhook: the remaining versions have the same schema").Verdict = rules.Review
	}
}

// livePairs returns the pairs of versions of new between which objects are converted, in both directions.
func (c *comparison) livePairs() [][2]*apiextensionsv1.CustomResourceDefinitionVersion {
	var pairs [][2]*apiextensionsv1.CustomResourceDefinitionVersion
	names := make([]string, 0, len(c.New.Spec.Versions))
	for i := range c.New.Spec.Versions {
		if version := &c.New.Spec.Versions[i]; version.Served || version.Storage {
			names = append(names, version.Name)
		}
	}
	slices.Sort(names)
	for _, from := range names {
		for _, to := range names {
			if from != to {
				pairs = append(pairs, [2]*apiextensionsv1.CustomResourceDefinitionVersion{
					manifest.VersionOf(c.New, from), manifest.VersionOf(c.New, to),
				})
			}
		}
	}
	return pairs
}

// pairs reports what is lost or invalid between served versions because of the change.
func (c *comparison) pairs() {
	for _, pair := range c.livePairs() {
		from, to := pair[0], pair[1]
		// A version that was not used before counts as a new version.
		wasFrom, wasTo := c.usedVersion(from.Name), c.usedVersion(to.Name)
		switch {
		case wasFrom != nil && wasTo == nil:
			c.fresh(from, to)
		case wasFrom == nil && wasTo != nil:
			c.fresher(from, to)
		case wasFrom != nil && wasTo != nil && !converts(c.Old) && !converts(c.New):
			c.known(from, to, c.Between(wasFrom, wasTo))
		}
	}
}

// usedVersion returns the version of the old CRD with that name if it was used, or nil.
func (c *comparison) usedVersion(name string) *apiextensionsv1.CustomResourceDefinitionVersion {
	if version := manifest.VersionOf(c.Old, name); version != nil && c.Used(version) {
		return version
	}
	return nil
}

// fresh compares an existing version with a new one.
func (c *comparison) fresh(from, to *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := rules.Place{Version: from.Name + "→" + to.Name}
	for _, difference := range c.Between(from, to) {
		at.Path = difference.Path
		switch {
		case !difference.Verdict.AtLeast(rules.Breaking):
		case converts(c.New):
			c.Find("E08", at, difference.Old, difference.New, "version %s differs here (%s): the result depends on the conversion webhook",
				to.Name, difference.Code)
		case difference.Loses() && to.Storage:
			// Reported as CRD-E17.
		case difference.Loses():
			c.Find("E07", at, difference.Old, difference.New,
				"version %s does not keep what %s keeps here, and conversion changes only the apiVersion: any write in %s drops it permanently (%s)",
				to.Name, from.Name, to.Name, difference.Code)
		default:
			c.Find("E09", at, difference.Old, difference.New, "version %s is stricter here than %s, and conversion changes only the "+
				"apiVersion: objects that are valid in %s are invalid in %s (%s)", to.Name, from.Name, from.Name, to.Name, difference.Code)
		}
	}
}

// fresher reports fields that only a new version keeps.
func (c *comparison) fresher(from, to *apiextensionsv1.CustomResourceDefinitionVersion) {
	if converts(c.New) {
		return
	}
	for _, difference := range c.Between(from, to) {
		if difference.Loses() {
			c.Find("E21", rules.Place{Version: from.Name + "→" + to.Name, Path: difference.Path}, difference.Old, difference.New,
				"%s does not keep what the new version %s declares here: a value written in %s is dropped%s", to.Name, from.Name,
				from.Name, whereStored(to))
		}
	}
}

func whereStored(version *apiextensionsv1.CustomResourceDefinitionVersion) string {
	if version.Storage {
		return " immediately, because " + version.Name + " is the storage version"
	}
	return " at the next write in " + version.Name
}

// known compares a pair of existing versions. It reports only what is new in it and not already reported by pass 2.
func (c *comparison) known(from, to *apiextensionsv1.CustomResourceDefinitionVersion, before []rules.Finding) {
	for _, difference := range c.Between(from, to) {
		if !difference.Verdict.AtLeast(rules.Breaking) || slices.ContainsFunc(before, func(known rules.Finding) bool {
			return known.Path == difference.Path && known.Verdict.AtLeast(difference.Verdict)
		}) ||
			c.reported(to.Name, difference.Path) {
			continue
		}
		at := rules.Place{Version: from.Name + "→" + to.Name, Path: difference.Path}
		if difference.Loses() {
			c.Find("E21", at, difference.Old, difference.New, "only %s keeps this: a value written in %s is dropped%s", from.Name,
				from.Name, whereStored(to))
		} else {
			c.Find("E19", at, difference.Old, difference.New,
				"%s now allows here what %s does not: a value written in %s is invalid when read in %s", from.Name,
				to.Name, from.Name, to.Name)
		}
	}
}

// reported reports whether a breaking finding exists for a path of a version.
func (c *comparison) reported(version, path string) bool {
	return slices.ContainsFunc(c.Found, func(finding rules.Finding) bool {
		return finding.Version == version && finding.Path == path && finding.Verdict.AtLeast(rules.Breaking)
	})
}
