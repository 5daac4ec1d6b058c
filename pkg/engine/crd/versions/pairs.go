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

// storage compares which version objects are stored in.
func (c *comparison) storage() {
	was, is := storageOf(c.Old), storageOf(c.New)
	if was == nil || is == nil || was.Name == is.Name {
		return
	}
	at := rules.Place{Version: was.Name + "→" + is.Name, Path: "storage"}
	c.Find("E26", at, was.Name, is.Name, "objects are stored as %s from their next write on; status.storedVersions keeps %s until "+
		"a migration has rewritten them all, and until then %s cannot be removed", is.Name, was.Name, was.Name)
	if converts(c.New) {
		return
	}
	for _, difference := range c.Between(was, is) {
		switch {
		case difference.Loses() && c.reported(was.Name, difference.Path):
			c.Find("E23", rules.Place{Version: at.Version, Path: difference.Path}, difference.Old, difference.New,
				"version %s, which is the stored one now, lacks what %s loses too (%s)", is.Name, was.Name, difference.Code)
		case difference.Loses():
			c.Find("E17", rules.Place{Version: at.Version, Path: difference.Path}, difference.Old, difference.New,
				"version %s, which is the stored one now, does not keep what %s keeps here: the first write of an object, through whatever "+
					"version, drops it for good (%s)", is.Name, was.Name, difference.Code)
		case difference.Verdict.AtLeast(rules.Breaking) && manifest.VersionOf(c.Old, is.Name) != nil && !c.reported(is.Name, difference.Path):
			c.Find("E22", rules.Place{Version: at.Version, Path: difference.Path}, difference.Old, difference.New,
				"version %s, which is the stored one now, is stricter here than %s: values that are legal there are stored as invalid ones (%s)",
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
			"every read and write of a version that is not the stored one needs the webhook from now on: while it is down, the kind is")
	case was && is && !apiequality.Semantic.DeepEqual(manifest.ComparedSpec(c.Old).Conversion, manifest.ComparedSpec(c.New).Conversion):
		c.Find("E12", at, nil, nil, "conversion is asked of another endpoint, or in other review versions: it must answer before the "+
			"definition is applied")
	}
}

// conversionGone reports which versions lose what without the webhook.
func (c *comparison) conversionGone(at rules.Place) {
	lossy := false
	for _, pair := range c.livePairs() {
		for _, difference := range c.Between(pair[0], pair[1]) {
			if difference.Verdict.AtLeast(rules.Breaking) {
				lossy = true
				c.Find("E10", rules.Place{Version: pair[0].Name + "→" + pair[1].Name, Path: difference.Path}, difference.Old, difference.New,
					"without the webhook, objects are converted by renaming their version: what %s does not keep here is lost, or invalid (%s)",
					pair[1].Name, difference.Code)
			}
		}
	}
	if !lossy {
		c.Find("E10", at, "Webhook", "None",
			"conversion needs no webhook any more: the versions that are left have the same schemas").Verdict = rules.Review
	}
}

// livePairs are the pairs of versions of new between which objects are converted, in both directions.
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

// pairs compares what is lost and what is invalid between the versions that are served, as far as the change brings it.
func (c *comparison) pairs() {
	for _, pair := range c.livePairs() {
		from, to := pair[0], pair[1]
		// A version that was not used until now is as good as new.
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

// usedVersion gives a version of the old definition that was used; nil where there is none.
func (c *comparison) usedVersion(name string) *apiextensionsv1.CustomResourceDefinitionVersion {
	if version := manifest.VersionOf(c.Old, name); version != nil && c.Used(version) {
		return version
	}
	return nil
}

// fresh compares a version that was there with one that is new.
func (c *comparison) fresh(from, to *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := rules.Place{Version: from.Name + "→" + to.Name}
	for _, difference := range c.Between(from, to) {
		at.Path = difference.Path
		switch {
		case !difference.Verdict.AtLeast(rules.Breaking):
		case converts(c.New):
			c.Find("E08", at, difference.Old, difference.New, "version %s differs here (%s): what becomes of it is up to the conversion webhook",
				to.Name, difference.Code)
		case difference.Loses() && to.Storage:
			// See CRD-E17.
		case difference.Loses():
			c.Find("E07", at, difference.Old, difference.New,
				"version %s does not keep what %s keeps here, and conversion only renames: any write through %s drops it for good (%s)", to.Name,
				from.Name, to.Name, difference.Code)
		default:
			c.Find("E09", at, difference.Old, difference.New, "version %s is stricter here than %s, and conversion only renames: objects "+
				"that are legal in %s read as invalid ones in %s (%s)", to.Name, from.Name, from.Name, to.Name, difference.Code)
		}
	}
}

// fresher reports what only a new version has.
func (c *comparison) fresher(from, to *apiextensionsv1.CustomResourceDefinitionVersion) {
	if converts(c.New) {
		return
	}
	for _, difference := range c.Between(from, to) {
		if difference.Loses() {
			c.Find("E21", rules.Place{Version: from.Name + "→" + to.Name, Path: difference.Path}, difference.Old, difference.New,
				"%s does not keep what the new version %s declares here: what is written through %s is dropped%s", to.Name, from.Name,
				from.Name, whereStored(to))
		}
	}
}

func whereStored(version *apiextensionsv1.CustomResourceDefinitionVersion) string {
	if version.Storage {
		return " at once, as " + version.Name + " is the stored version"
	}
	return " by the next write through " + version.Name
}

// known compares a pair that was there before: only what is new in it counts, and only what pass 2 does not say anyway.
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
			c.Find("E21", at, difference.Old, difference.New, "only %s has this: written through %s it is dropped%s", from.Name,
				from.Name, whereStored(to))
		} else {
			c.Find("E19", at, difference.Old, difference.New,
				"what %s allows here now, %s does not: a value that is written through %s reads as an invalid one in %s", from.Name,
				to.Name, from.Name, to.Name)
		}
	}
}

// reported tells whether something at a path of a version is known to hurt already.
func (c *comparison) reported(version, path string) bool {
	return slices.ContainsFunc(c.Found, func(finding rules.Finding) bool {
		return finding.Version == version && finding.Path == path && finding.Verdict.AtLeast(rules.Breaking)
	})
}
