// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"fmt"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/crdcompat"
	"roadstead.dev/roadstead/pkg/crdreview"
)

// maxFindings is how many findings the status of a CRDSchema holds.
const maxFindings = 50

// judge writes into the status of a CRDSchema what the change from a baseline does, and what it needs under a policy. It is
// stored already, so nothing can be refused any more: what would have been may not be rolled out.
func judge(schema *v1alpha1.CRDSchema, baseline *v1alpha1.CRDSchema, policy crdreview.Policy) error {
	status := &schema.Status
	status.ObservedGeneration = schema.Generation
	if baseline == nil {
		status.Approval, status.Phase = v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady
		set(&status.Conditions, schema.Generation, v1alpha1.ConditionReady, true, v1alpha1.ReasonNothingToCompare, "no lower version of the operator has this definition")
		return nil
	}
	old, err := storedOf(baseline).Decode()
	if err != nil {
		return err
	}
	new, err := storedOf(schema).Decode()
	if err != nil {
		return err
	}
	report := crdcompat.Compare(old, new, crdcompat.Options{})
	findings, total := crdreview.Findings(report, maxFindings)
	status.Against = &v1alpha1.CRDSchemaBaseline{Name: baseline.Name, UID: string(baseline.UID), Digest: crdcompat.Digest(nil, old), Change: report.Digest}
	status.Compatibility = v1alpha1.Compatibility(report.Verdict)
	status.Findings, status.TotalFindings = published(findings), int32(total)
	describe(schema, report, crdreview.Decide(report, policy, true), baseline.Name)
	return nil
}

// describe puts an outcome into approval, phase and condition.
func describe(schema *v1alpha1.CRDSchema, report crdcompat.Report, outcome crdreview.Outcome, against string) {
	status := &schema.Status
	say := func(approval v1alpha1.ApprovalState, phase v1alpha1.Phase, ready bool, reason, format string, args ...any) {
		status.Approval, status.Phase = approval, phase
		set(&status.Conditions, schema.Generation, v1alpha1.ConditionReady, ready, reason, fmt.Sprintf(format, args...))
	}
	hurt := fmt.Sprintf("the change from CRDSchema %s is %s (%s, %d findings)", against, report.Verdict.Describe(), report.Verdict, len(report.Findings))
	switch outcome {
	case crdreview.Fine:
		say(v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady, true, v1alpha1.ReasonCompatible, "the change from CRDSchema %s breaks nothing", against)
	case crdreview.Warned:
		say(v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady, true, v1alpha1.ReasonBreakingAllowed, "%s; the operator's policy lets it pass", hurt)
	case crdreview.Pending:
		say(v1alpha1.ApprovalPending, v1alpha1.PhaseAwaitingApproval, false, v1alpha1.ReasonAwaitingApproval, "%s: a person must decide", hurt)
	case crdreview.Unrequested, crdreview.Refused:
		say(v1alpha1.ApprovalRejected, v1alpha1.PhaseError, false, v1alpha1.ReasonBreakingRefused,
			"%s: it may not be rolled out; make a version that breaks nothing, or change spec.crdPolicy of the operator and make this CRDSchema anew", hurt)
	}
}

func published(findings []crdreview.Finding) []v1alpha1.Finding {
	all := make([]v1alpha1.Finding, 0, len(findings))
	for _, finding := range findings {
		all = append(all, v1alpha1.Finding{
			CRD: finding.CRD, Code: finding.Code, Verdict: v1alpha1.Compatibility(finding.Verdict), Version: finding.Version, Path: finding.Path,
			Old: finding.Old, New: finding.New, Message: finding.Message, Hint: finding.Hint,
		})
	}
	return all
}
