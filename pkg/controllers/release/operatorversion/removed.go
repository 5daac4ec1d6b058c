// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// removalCodes are the rules of package sets about CRDs that a version no longer contains, or
// contains in a different way.
var removalCodes = []string{"CRD-S01", "CRD-S02", "CRD-S03"}

func isRemoval(finding v1alpha1.Finding) bool { return slices.Contains(removalCodes, finding.Code) }

// removalsIn returns the findings about removed CRDs in a status.
func removalsIn(status *v1alpha1.OperatorVersionStatus) []v1alpha1.Finding {
	var found []v1alpha1.Finding
	for _, finding := range status.Findings {
		if isRemoval(finding) {
			found = append(found, finding)
		}
	}
	return found
}

// removed compares the CRDs of a version with those of the newest lower version that was accepted.
// No CRDSchema shows that a CRD was left out of the chart, and Helm deletes such a CRD with all its
// objects.
func (r *reconciler) removed(
	ctx context.Context, a *attempt, own []*schemas.Summary, wide []v1alpha1.Finding,
) ([]v1alpha1.Finding, *base.Blocked) {
	lower := newestAccepted(a.version, a.siblings)
	if lower == nil {
		return nil, nil
	}
	a.lower = lower.Name
	var names []string
	for _, one := range lower.Status.CRDs {
		names = append(names, one.Name)
	}
	found, err := r.schemas.Of(ctx, lower.Name, names...)
	if err != nil {
		return nil, chartsource.Request("reading the CRDSchemas of OperatorVersion "+lower.Name, err)
	}
	byHand := lower.Spec.CRDSource == v1alpha1.CRDSourceManual
	found = slices.DeleteFunc(found, func(one *schemas.Summary) bool {
		return one.OperatorVersion != lower.Name || !byHand && one.CreatedBy != r.user
	})
	return removals(brought{lower, found, lower.Status.Findings}, brought{a.version, own, wide}), nil
}

// newestAccepted returns the highest lower version whose CRDs were accepted, or nil if there is
// none.
func newestAccepted(own *v1alpha1.OperatorVersion, siblings []v1alpha1.OperatorVersion) *v1alpha1.OperatorVersion {
	byName := map[string]*v1alpha1.OperatorVersion{}
	var all []crdpolicy.Version
	for i := range siblings {
		if one := &siblings[i]; one.DeletionTimestamp == nil && schemas.MayRollOut(one) {
			byName[one.Name] = one
			all = append(all, crdpolicy.Version{Name: one.Name, Version: one.Spec.Version})
		}
	}
	for _, lower := range crdpolicy.Lower(own.Spec.Version, all) {
		return byName[lower.Name]
	}
	return nil
}

// brought describes what a version contains: the CRDs of its status, what is known of them, and the
// findings about all of them together.
type brought struct {
	version  *v1alpha1.OperatorVersion
	schemas  []*schemas.Summary
	findings []v1alpha1.Finding
}

// lacks reports whether the chart renders a CRD for some environments only.
func (b brought) lacks(name string) bool {
	return slices.ContainsFunc(b.findings, func(finding v1alpha1.Finding) bool {
		return finding.CRD == name && finding.Code == codeVaries && finding.Verdict == v1alpha1.Compatibility(rules.Informational)
	})
}

// member returns a CRD for the rules of package sets, which depend on the names and the origin, but
// not on the schema.
func (b brought) member(name string, unknown sets.Member) sets.Member {
	plural, group, _ := strings.Cut(name, ".")
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name, crd.Spec.Group, crd.Spec.Names.Plural = name, group, plural
	member := sets.Member{CRD: crd, Origin: unknown.Origin, Kept: unknown.Kept}
	at := slices.IndexFunc(b.schemas, func(one *schemas.Summary) bool { return one.CRD == name })
	if at < 0 {
		return member
	}
	crd.Spec.Names.Kind = b.schemas[at].Kind
	switch b.schemas[at].Origin {
	case schemas.OriginCRDs:
		member.Origin = sets.CRDsFolder
	case schemas.OriginTemplate:
		member.Origin, member.Kept = sets.Template, false
	case schemas.OriginKept:
		member.Origin, member.Kept = sets.Template, true
	}
	return member
}

// removals returns findings about the CRDs that the older version contains and the newer one does
// not. If it is unknown how a chart rendered a CRD, a template is assumed, which is the worst case.
func removals(older, newer brought) []v1alpha1.Finding {
	old, now, partly := sets.Set{Chart: true}, sets.Set{Chart: true}, map[string]bool{}
	there := map[string]sets.Member{}
	for _, one := range newer.version.Status.CRDs {
		if partly[one.Name] = newer.lacks(one.Name) && !older.lacks(one.Name); !partly[one.Name] {
			there[one.Name] = newer.member(one.Name, sets.Member{})
		}
	}
	assumed := sets.Member{Origin: sets.Template}
	if older.version.Spec.CRDSource == v1alpha1.CRDSourceManual {
		assumed.Origin = sets.Plain
	}
	for _, one := range older.version.Status.CRDs {
		unknown := assumed
		stays, ok := there[one.Name]
		if ok {
			unknown = stays
		}
		member := older.member(one.Name, unknown)
		if ok && stays.Origin == "" {
			stays.Origin, stays.Kept = member.Origin, member.Kept
			there[one.Name] = stays
		}
		old.Members = append(old.Members, member)
	}
	for _, one := range newer.version.Status.CRDs {
		if member, ok := there[one.Name]; ok {
			now.Members = append(now.Members, member)
		}
	}
	report := sets.Compare(old, now, compare.Options{SkipDigest: true})
	all, _ := schemas.Findings(report)
	all = slices.DeleteFunc(all, func(finding v1alpha1.Finding) bool { return !isRemoval(finding) })
	for i := range all {
		if partly[all[i].CRD] {
			all[i].Message = "With the values of some environments: " + all[i].Message
		}
	}
	return all
}

// chartwide is the result of the findings about all CRDs of a version together, which no CRDSchema
// contains.
type chartwide struct {
	// refused contains the CRDs whose findings the policy does not allow.
	refused []string
	// allowed is set if there is a breaking change that the policy allows.
	allowed bool
	// lower is the OperatorVersion that was compared with.
	lower string
}

// judgeWide applies the policy of the Operator. A version that was accepted stays accepted, like
// its CRDSchemas.
func (a *attempt) judgeWide(findings []v1alpha1.Finding) chartwide {
	wide := chartwide{lower: a.lower}
	for _, finding := range findings {
		verdict := rules.Verdict(finding.Verdict)
		switch policy := crdpolicy.Policy(a.operator.Spec.CRDPolicy.Breaking); {
		case !verdict.Breaks() || !isRemoval(finding) && finding.Code != codeVaries:
		case schemas.MayRollOut(a.version), !crdpolicy.Decide(rules.Report{Verdict: verdict}, policy, false).Refuses():
			wide.allowed = true
		case !slices.Contains(wide.refused, finding.CRD):
			wide.refused = append(wide.refused, finding.CRD)
		}
	}
	return wide
}

// message says how to resolve the rejection.
func (w chartwide) message() string {
	compared := "This version"
	if w.lower != "" {
		compared = fmt.Sprintf("Compared with OperatorVersion %s, this version", w.lower)
	}
	return strings.Join([]string{
		fmt.Sprintf("%s removes CustomResourceDefinitions or renders them differently by environment, and that breaks something: %s.",
			compared, some(w.refused)),
		"See status.findings. Keep them in the chart and the values.",
		fmt.Sprintf("Otherwise a user who has the verb bypass on approvals.%s can set spec.crdPolicy.breaking of the Operator to Warn,",
			v1alpha1.GroupName),
		"or create the version with spec.crdSource: Manual.",
	}, " ")
}
