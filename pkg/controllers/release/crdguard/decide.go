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

// quiet reports whether the guard allows breaking changes under the policy in an annotation. An
// unknown policy means the default.
func quiet(annotation string, byDefault crdpolicy.Policy) bool {
	switch policy := crdpolicy.Policy(annotation); policy {
	case crdpolicy.Warn, crdpolicy.Off:
		return true
	case crdpolicy.Deny:
		return false
	}
	return byDefault == crdpolicy.Warn
}

// verdict is the result for a CRD.
type verdict struct {
	// record is set if the snapshot must be updated.
	record bool
	// missed is the report of a change that the guard would have rejected, or nil.
	missed *rules.Report
}

// decide compares a CRD with its last observed state. snapshot is nil for a CRD that is observed
// for the first time.
//
// The guard evaluates the annotations of the CRD before the change. The snapshot may be older than
// that. A change is therefore covered if the annotations of the snapshot cover it, or those that
// were observed at a generation between the snapshot and the change (before). The annotations of
// the current CRD do not count, because they may have been set together with the change.
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
	// The guard may have compared with any generation in between, because changes that do not
	// affect a digest increment it too.
	covers := func(one permission) bool {
		return crdpolicy.Allows(one.allowed, report.Digest, seen.Generation, now.Generation-1)
	}
	if len(report.Findings) == 0 || slices.ContainsFunc(valid, covers) {
		return verdict{record: true}, nil
	}
	return verdict{record: true, missed: &report}, nil
}

// breaking returns the part of a report that the guard rejects.
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
