// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// comparison is one change while it is looked at.
type comparison struct {
	old, new *apiextensionsv1.CustomResourceDefinition
	target   *version.Version
	// trusting leaves out pass 1.
	trusting bool
	schemas  schemas
	patterns *patterns
	rules.Findings
}

func newComparison(old, new *apiextensionsv1.CustomResourceDefinition, options Options) *comparison {
	c := &comparison{
		old: defaulted(old), new: defaulted(new), target: options.target(), trusting: options.SkipRefusal,
		schemas: schemas{}, patterns: newPatterns(), Findings: rules.Findings{CRD: old.Name},
	}
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
