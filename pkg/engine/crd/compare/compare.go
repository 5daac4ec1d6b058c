// SPDX-License-Identifier: Apache-2.0

package compare

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/crd/versions"
)

// Compare tells what happens when new takes the place of old in a cluster: passes 1 to 3. The status is read from old
// only; without one, old counts as Established, and its storage version as the only one that objects are stored in. Nothing
// is compared where one of them is nil: see sets.Compare for what comes and goes. It never panics, and changes neither.
func Compare(old, new *apiextensionsv1.CustomResourceDefinition, options Options) rules.Report {
	if old == nil || new == nil {
		return rules.NewReport()
	}
	c := newComparison(old, new, options)
	c.refused()
	c.Comparison.Compare()
	versions.Compare(c.Comparison)
	c.unratcheted()
	report := rules.NewReport(c.Found...)
	if !options.SkipDigest {
		report.Digest = Digest(old, new)
	}
	return report
}

// Reverse is pass 6: what happens when the change is taken back, with objects in the cluster that were written under new.
// Its findings are those of the way from new to old.
func Reverse(old, new *apiextensionsv1.CustomResourceDefinition, options Options) rules.Report {
	if old == nil || new == nil {
		return rules.NewReport()
	}
	live := new.DeepCopy()
	live.Status = manifest.LiveStatus(old)
	for _, version := range new.Spec.Versions {
		if version.Storage {
			live.Status.StoredVersions = manifest.WithVersion(live.Status.StoredVersions, version.Name)
		}
	}
	return Compare(live, old, options)
}
