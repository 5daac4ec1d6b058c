// SPDX-License-Identifier: Apache-2.0

package compare

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/crd/versions"
)

// Compare returns the effects of replacing old by new in a cluster: passes 1 to 3. The status is read
// from old only. If old has no status, it counts as Established and its storage version as the only
// stored version. If old or new is nil, nothing is compared; sets.Compare reports added and removed
// CRDs. Compare does not panic and does not modify its arguments.
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

// Reverse is pass 6: it returns the effects of rolling the change back while the cluster contains
// objects that were written under new. The findings describe the change from new to old.
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
