// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/version"
)

// comparison is one change while it is looked at.
type comparison struct {
	old, new *apiextensionsv1.CustomResourceDefinition
	target   *version.Version
	// trusting leaves out pass 1.
	trusting bool
	schemas  schemas
	patterns *patterns
	findings []Finding
}

func newComparison(old, new *apiextensionsv1.CustomResourceDefinition, options Options) *comparison {
	c := &comparison{old: defaulted(old), new: defaulted(new), target: options.target(), trusting: options.SkipRefusal, schemas: schemas{}, patterns: newPatterns()}
	c.old.Status = liveStatus(old)
	return c
}

// liveStatus is the status of a definition in a cluster; that of a manifest is what it would be soon after its apply.
func liveStatus(definition *apiextensionsv1.CustomResourceDefinition) apiextensionsv1.CustomResourceDefinitionStatus {
	status := *definition.Status.DeepCopy()
	if len(status.Conditions) == 0 && len(status.StoredVersions) == 0 {
		status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
			{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue},
			{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue},
		}
	}
	if len(status.StoredVersions) == 0 {
		for _, version := range definition.Spec.Versions {
			if version.Storage {
				status.StoredVersions = []string{version.Name}
			}
		}
	}
	return status
}

// established tells whether a status says that the kind is served.
func established(status *apiextensionsv1.CustomResourceDefinitionStatus) bool {
	return slices.ContainsFunc(status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
}

func withVersion(versions []string, name string) []string {
	if slices.Contains(versions, name) {
		return versions
	}
	return append(slices.Clone(versions), name)
}

// place is where in a definition a finding is.
type place struct {
	// version is a name, a pair "v1→v2", or empty.
	version string
	path    string
}

// find adds a finding of a rule. The values are shown in compact JSON; nil shows nothing. The pointer is good until the
// next call.
func (c *comparison) find(id string, at place, old, new any, format string, args ...any) *Finding {
	finding := newFinding(id, c.old.Name, format, args...)
	finding.Version, finding.Path = at.version, at.path
	finding.Old, finding.New = shown(old), shown(new)
	c.findings = append(c.findings, finding)
	return &c.findings[len(c.findings)-1]
}

// longest is how much of a value is shown, in bytes.
const longest = 240

// shown is a value as a person reads it: text as it is, everything else in JSON, cut where long.
func shown(value any) string {
	var text string
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		text = value
	default:
		encoded, err := json.Marshal(value)
		if err != nil {
			return "unreadable: " + err.Error()
		}
		text = string(encoded)
	}
	if len(text) <= longest {
		return text
	}
	cut := longest
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
