// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/engine/semver"
)

// refusalList contains the rejected CRDs of a version.
type refusalList []refusal

func (l refusalList) has(definition string) bool {
	return slices.ContainsFunc(l, func(one refusal) bool { return one.definition == definition })
}

func (l refusalList) names() []string {
	var names []string
	for _, one := range l {
		names = append(names, one.definition)
	}
	return names
}

// breaking returns the CRDs that were rejected as breaking.
func (l refusalList) breaking() []string {
	var names []string
	for _, one := range l {
		if len(one.findings) > 0 {
			names = append(names, one.definition)
		}
	}
	return names
}

func (l refusalList) findings() []v1alpha1.Finding {
	var all []v1alpha1.Finding
	for _, one := range l {
		all = append(all, one.findings...)
	}
	return all
}

// blocked returns the first problem that is unrelated to compatibility, or nil if there is none.
func (l refusalList) blocked() *base.Blocked {
	for _, one := range l {
		if one.blocked != nil {
			return one.blocked
		}
	}
	return nil
}

// lasting returns the refusals that remain valid until the key of refusals changes.
func (l refusalList) lasting() refusalList {
	return slices.DeleteFunc(slices.Clone(l), func(one refusal) bool {
		return one.blocked != nil && (one.blocked.Err != nil || one.blocked.Reason != v1alpha1.ReasonSchemaRefused)
	})
}

// refusalKey returns a key of everything that a refusal depends on: the policy, the values and the
// baseline.
func refusalKey(a *attempt) string {
	var lower []string
	for i := range a.siblings {
		if one := &a.siblings[i]; one.DeletionTimestamp == nil && semver.Compare(one.Spec.Version, a.version.Spec.Version) < 0 {
			lower = append(lower, fmt.Sprintf("%s/%t", one.UID, schemas.MayRollOut(one)))
		}
	}
	slices.SortFunc(lower, func(a, b string) int { return cmp.Compare(a, b) })
	return fmt.Sprintf("%s %s/%d %s %s", a.version.UID, a.operator.UID, a.operator.Generation, a.valuesDigest(), strings.Join(lower, ","))
}
