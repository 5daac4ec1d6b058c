// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// The first versions of Kubernetes that support what CRDs may use, according to their feature gates
// (enabled by default) and to the table of formats of the API server.
var (
	withSelectableFields = version.MajorMinor(1, 31)
	withRatcheting       = version.MajorMinor(1, 30)
	withKubernetesNames  = version.MajorMinor(1, 34)
)

// olderServer finds features that the new CRD starts to use and the target server does not support.
func (c *comparison) olderServer() {
	if c.Target.AtLeast(withKubernetesNames) {
		return
	}
	before, now := featuresOf(c.Old), featuresOf(c.New)
	used := slices.SortedFunc(maps.Keys(now), func(a, b feature) int {
		return cmp.Or(cmp.Compare(a.at.Version, b.at.Version), cmp.Compare(a.at.Path, b.at.Path), cmp.Compare(a.name, b.name))
	})
	for _, feature := range used {
		known := featureKnown[feature.name]
		if before[feature] || c.Target.AtLeast(known.since) {
			continue
		}
		finding := c.Find("S10", feature.at, nil, feature.name, "Kubernetes %s does not support %s, which was added in %s: %s",
			majorMinor(c.Target), feature.name, majorMinor(known.since), known.consequence)
		finding.MinServerVersion = ""
	}
}

// unratcheted reports that the target server does not ratchet, so that stored objects which violate
// the new schema cannot be updated. It must run after all other passes.
func (c *comparison) unratcheted() {
	if c.Target.AtLeast(withRatcheting) {
		return
	}
	for _, finding := range c.Found {
		rule, err := rules.ByCode(finding.Code)
		if err != nil || rule.Effects.Create != "rejected" || !finding.Verdict.Breaks() || finding.Verdict == rules.Refused {
			continue
		}
		found := c.Find("S10", rules.Place{}, nil, nil,
			"Kubernetes %s validates the complete object at every write, including unchanged fields (ratcheting was added in %s): stored objects "+
				"that the new schema rejects cannot be written at all, so not even their finalizers can be removed.",
			majorMinor(c.Target), majorMinor(withRatcheting))
		found.Verdict, found.Hits.Stored, found.Hits.Writers = rules.Destructive, true, true
		return
	}
}

// feature is a feature at a place in a CRD that only newer servers support.
type feature struct {
	name string
	at   rules.Place
}

var featureKnown = map[string]struct {
	since       *version.Version
	consequence string
}{
	"selectableFields": {withSelectableFields, "it drops them and responds with 400 to every list and watch with such a field selector."},
	"optionalOldSelf": {withRatcheting, "it drops the field, so oldSelf is not an optional value and the rule may not compile, " +
		"in which case the CRD is rejected; a rule that compiles is not evaluated at creation."},
	"k8s-short-name": {withKubernetesNames,
		"it ignores the format, so values are not validated and may become invalid when the server is upgraded."},
	"k8s-long-name": {withKubernetesNames,
		"it ignores the format, so values are not validated and may become invalid when the server is upgraded."},
}

// newerFormats maps formats, in the spelling under which the server looks them up, to their names.
var newerFormats = map[string]string{"k8sshortname": "k8s-short-name", "k8slongname": "k8s-long-name"}

func featuresOf(definition *apiextensionsv1.CustomResourceDefinition) map[feature]bool {
	used := map[feature]bool{}
	for i := range definition.Spec.Versions {
		version := &definition.Spec.Versions[i]
		if len(version.SelectableFields) > 0 {
			used[feature{"selectableFields", rules.Place{Version: version.Name, Path: "spec.versions[*].selectableFields"}}] = true
		}
		if version.Schema != nil {
			featuresOfSchema(version.Schema.OpenAPIV3Schema, rules.Place{Version: version.Name}, manifest.DeepestSchema, used)
		}
	}
	return used
}

func featuresOfSchema(schema *apiextensionsv1.JSONSchemaProps, at rules.Place, levels int, used map[feature]bool) {
	if schema == nil || levels <= 0 {
		return
	}
	for i := range schema.XValidations {
		if schema.XValidations[i].OptionalOldSelf != nil {
			used[feature{"optionalOldSelf", at}] = true
		}
	}
	if name, newer := newerFormats[strings.ReplaceAll(schema.Format, "-", "")]; newer && (schema.Type == "string" || schema.Type == "") {
		used[feature{name, at}] = true
	}
	manifest.EachChild(schema, func(path string, child *apiextensionsv1.JSONSchemaProps) {
		featuresOfSchema(child, rules.Place{Version: at.Version, Path: at.Path + path}, levels-1, used)
	})
}

func majorMinor(v *version.Version) string { return version.MajorMinor(v.Major(), v.Minor()).String() }
