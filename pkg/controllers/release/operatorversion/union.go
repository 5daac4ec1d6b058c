// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// codeVaries is the code of findings about a CRD that a chart does not render identically with the
// values of all environments.
const codeVaries = "ChartCRDVaries"

// rendering is the result of rendering a chart with one set of values.
type rendering struct {
	// with identifies the values in messages.
	with    string
	members []sets.Member
}

// union returns the CRDs of all renderings, sorted by name, and a finding for each one that differs
// between them. The first rendering that contains a CRD determines its content. The API server does
// not judge a different form of the CRD, so the finding is as severe as the change to that form:
// values of one environment must not hide what breaks there.
func union(renderings []rendering) ([]sets.Member, []v1alpha1.Finding) {
	type seen struct {
		member       sets.Member
		digest, with string
		differs      []string
		verdict      rules.Verdict
		in           int
	}
	byName := map[string]*seen{}
	for n, one := range renderings {
		for _, member := range one.members {
			known := byName[member.CRD.Name]
			digest := compare.Digest(nil, member.CRD)
			if known == nil {
				byName[member.CRD.Name] = &seen{member: member, digest: digest, with: one.with, verdict: rules.Review, in: 1 << n}
				continue
			}
			if known.digest != digest && !slices.Contains(known.differs, one.with) {
				known.differs = append(known.differs, one.with)
				known.verdict = worse(known.verdict, compare.Compare(known.member.CRD, member.CRD, compare.Options{SkipDigest: true}).Verdict)
			}
			known.in |= 1 << n
		}
	}
	var members []sets.Member
	var findings []v1alpha1.Finding
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		known := byName[name]
		members = append(members, known.member)
		var lacking []string
		for n, one := range renderings {
			if known.in&(1<<n) == 0 {
				lacking = append(lacking, one.with)
			}
		}
		if len(known.differs) > 0 {
			findings = append(findings, varies(name, known.verdict, fmt.Sprintf(
				"The chart renders the CRD with %s differently than with %s, and only the latter is compared with the version before.",
				strings.Join(known.differs, ", "), known.with)))
		}
		if len(lacking) > 0 {
			findings = append(findings, varies(name, rules.Informational, fmt.Sprintf("The chart renders the CRD with %s, and not with %s.",
				known.with, strings.Join(lacking, ", "))))
		}
	}
	return members, findings
}

// worse returns the worse of two verdicts on forms of a CRD. If the API server would refuse to
// replace one form by the other, that is no reason to reject both, because they are meant for
// different clusters.
func worse(a, b rules.Verdict) rules.Verdict {
	if b == rules.Refused {
		b = rules.Destructive
	}
	if b.Compare(a) > 0 {
		return b
	}
	return a
}

func varies(name string, verdict rules.Verdict, message string) v1alpha1.Finding {
	return v1alpha1.Finding{CRD: name, Code: codeVaries, Verdict: v1alpha1.Compatibility(verdict), Message: message,
		Hint: "Set the values that decide about CRDs in spec.values of the Operator, so that all environments have the same."}
}

// worstFirst sorts findings by decreasing severity and cuts them to the limit of a status.
func worstFirst(findings []v1alpha1.Finding) []v1alpha1.Finding {
	slices.SortStableFunc(findings, func(a, b v1alpha1.Finding) int {
		return cmp.Or(
			rules.Verdict(b.Verdict).Compare(rules.Verdict(a.Verdict)),
			cmp.Compare(a.CRD, b.CRD), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Path, b.Path),
		)
	})
	return findings[:min(len(findings), v1alpha1.MaxFindings)]
}
