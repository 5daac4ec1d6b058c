// SPDX-License-Identifier: Apache-2.0

package crdguard

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// quiet tells whether the guard lets breaking changes pass under a policy in an annotation; what is none leaves the default.
func quiet(annotation string, byDefault crdpolicy.Policy) bool {
	switch policy := crdpolicy.Policy(annotation); policy {
	case crdpolicy.Warn, crdpolicy.Off:
		return true
	case crdpolicy.Deny:
		return false
	}
	return byDefault == crdpolicy.Warn
}

// verdict is what was found about a definition.
type verdict struct {
	// record says that the snapshot is to be written.
	record bool
	// missed is the report of a change that the guard would have refused; nil where there is none.
	missed *rules.Report
}

// decide compares a definition with what was seen last of it; snapshot is nil at first sight.
//
// The guard goes by the annotations of the definition before the change. The snapshot may be older than that, so a change is
// covered if the annotations of the snapshot cover it, or those that were seen at a generation between the snapshot and the
// change (before). The annotations of the definition as it is now do not count: they may have come with the change.
func decide(snapshot *v1alpha1.CRDSnapshot, now *apiextensionsv1.CustomResourceDefinition, byDefault crdpolicy.Policy,
	before []permission) (verdict, error) {
	if snapshot == nil || snapshot.Spec.UID != string(now.UID) {
		return verdict{record: true}, nil
	}
	seen := &snapshot.Spec
	policy, allowed := now.Annotations[crdpolicy.PolicyAnnotation], now.Annotations[crdpolicy.AllowChangeAnnotation]
	if seen.Generation == now.Generation {
		return verdict{record: seen.Policy != bounded(policy) || seen.AllowChange != bounded(allowed)}, nil
	}
	valid := []permission{{seen.Generation, seen.Policy, seen.AllowChange}}
	for _, one := range before {
		if one.generation >= seen.Generation && one.generation < now.Generation {
			valid = append(valid, one)
		}
	}
	if slices.ContainsFunc(valid, func(one permission) bool { return quiet(one.policy, byDefault) }) {
		return verdict{record: true}, nil
	}
	last, err := crdpolicy.Decode(seen.Definition.Raw)
	if err != nil {
		return verdict{}, err
	}
	report := breaking(compare.Compare(last, now, compare.Options{SkipRefusal: true}))
	// What the guard saw as the stored definition may be any generation in between, because changes that are part of no digest
	// raise it too.
	covers := func(one permission) bool {
		return crdpolicy.Allows(one.allowed, report.Digest, seen.Generation, now.Generation-1)
	}
	if len(report.Findings) == 0 || slices.ContainsFunc(valid, covers) {
		return verdict{record: true}, nil
	}
	return verdict{record: true, missed: &report}, nil
}

// breaking leaves of a report what the guard refuses for.
func breaking(report rules.Report) rules.Report {
	var findings []rules.Finding
	for _, finding := range report.Findings {
		if finding.Verdict.Breaks() {
			findings = append(findings, finding)
		}
	}
	left := rules.NewReport(findings...)
	left.Digest = report.Digest
	return left
}
