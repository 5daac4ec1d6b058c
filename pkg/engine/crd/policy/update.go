// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// update decides about a change of a spec.
func (g *Guard) update(ctx context.Context, user authenticationv1.UserInfo, old, new *apiextensionsv1.CustomResourceDefinition) Answer {
	policy, notice := policyOf(&old.ObjectMeta, g.options.Policy)
	if policy == Off {
		return answered(OperationUpdate, old, Unguarded)
	}
	pair := sets.Pair{Old: sets.Member{CRD: old}, New: sets.Member{CRD: new}}
	if !pair.Changed() {
		return answered(OperationUpdate, old, Allowed)
	}
	// The API server has validated the change itself, or will do so.
	report := compare.Compare(old, new, compare.Options{SkipRefusal: true, SkipDigest: true})
	var looked look
	if report.Verdict.AtLeast(rules.Review) {
		// Stored objects can only confirm static findings of at least R: changes without one were proved to be safe.
		looked = g.look(ctx, user, old, new)
		report = rules.NewReport(append(report.Findings, looked.findings...)...)
	}
	if report.Verdict.Breaks() {
		report.Digest = compare.Digest(old, new)
	}
	change := change{definition: old, report: report, looked: looked}
	if notice != "" {
		change.warnings = append(change.warnings, notice)
	}
	if looked.unnamed != "" {
		change.warnings = append(change.warnings, looked.unnamed)
	}
	answer := change.decide(policy)
	answer.Operation, answer.CRD, answer.Verdict, answer.Digest = OperationUpdate, old.Name, report.Verdict, report.Digest
	return answer
}

// change is a comparison to decide about.
type change struct {
	definition *apiextensionsv1.CustomResourceDefinition
	report     rules.Report
	looked     look
	warnings   []string
}

// decide applies the policy and the annotations to the findings.
func (c change) decide(policy Policy) Answer {
	breaking, review := c.split()
	generation := c.definition.Generation
	switch {
	case len(breaking) == 0:
		return answered(OperationUpdate, c.definition, Allowed, c.warn(review)...)
	case Allows(c.definition.Annotations[AllowChangeAnnotation], c.report.Digest, generation, generation):
		c.warnings = append(c.warnings, fmt.Sprintf("the change of %s is breaking (%d findings); annotation %s allows it",
			c.definition.Name, len(breaking), AllowChangeAnnotation))
		return answered(OperationUpdate, c.definition, AllowedOnce, c.warn(breaking, review)...)
	case policy == Warn:
		return answered(OperationUpdate, c.definition, Warned, c.warn(breaking, review)...)
	}
	return c.refuse(breaking, review)
}

// split returns the breaking findings, and those that need a review. Without breaking findings, missing
// permission to list objects is not reported.
func (c change) split() (breaking, review []rules.Finding) {
	for _, finding := range c.report.Findings {
		switch {
		case finding.Verdict.Breaks():
			breaking = append(breaking, finding)
		case finding.Verdict == rules.Review:
			review = append(review, finding)
		}
	}
	if len(breaking) == 0 && c.looked.forbidden {
		review = slices.DeleteFunc(review, func(f rules.Finding) bool { return f.Code == uncheckedCode })
	}
	return breaking, review
}

// warn returns the existing warnings followed by those for the findings.
func (c change) warn(groups ...[]rules.Finding) []string {
	warnings := slices.Clone(c.warnings)
	for _, findings := range groups {
		for i := range findings {
			warnings = append(warnings, lineOf(&findings[i]))
		}
	}
	return warnings
}

func (c change) refuse(breaking, review []rules.Finding) Answer {
	name := c.definition.Name
	r := refusal{
		what: fmt.Sprintf("change of CustomResourceDefinition %s is rejected because it is breaking: %s (worst verdict %s, %s)",
			name, counted(len(breaking), "finding"), c.report.Verdict, c.report.Verdict.Describe()),
		causes: causesOf(breaking), annotation: AllowChangeAnnotation, wayOut: c.wayOut(),
	}
	for _, note := range []string{c.looked.note, c.looked.unnamed} {
		if note != "" {
			r.notes = append(r.notes, note)
		}
	}
	if note := notAllowed(c.definition.Annotations[AllowChangeAnnotation], c.report.Digest, c.definition.Generation); note != "" {
		r.notes, c.warnings = append(r.notes, note), append(c.warnings, note)
	}
	answer := answered(OperationUpdate, c.definition, Denied, c.warn(review)...)
	answer.Response.Allowed, answer.Response.Result = false, r.status(c.definition)
	return answer
}

// wayOut returns the instruction that allows exactly this change.
func (c change) wayOut() string {
	if c.report.Digest == "" {
		// Without a digest the change cannot be identified, so only the policy can allow it.
		return "the change cannot be compared, so it cannot be allowed individually; to allow every change of this CRD, run: " +
			annotate(c.definition, PolicyAnnotation, string(Warn))
	}
	value := AllowChange(c.report.Digest, c.definition.Generation)
	return "to allow exactly this change once, run: " + annotate(c.definition, AllowChangeAnnotation, value)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, strings.TrimSuffix(what, "s"))
}
