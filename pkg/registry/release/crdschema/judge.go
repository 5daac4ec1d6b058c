// SPDX-License-Identifier: Apache-2.0

package crdschema

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/evidence"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

var (
	definitionPath = field.NewPath("spec", "definition")
	versionPath    = field.NewPath("spec", "operatorVersionRef", "name")
	againstPath    = field.NewPath("spec", "againstRef", "name")
	approvalPath   = field.NewPath("metadata", "annotations").Key(release.RequestApprovalAnnotation)
)

// judge decides about a new CRDSchema.
func judge(schema *release.CRDSchema, known facts) judgement {
	judged := judgement{
		made: true,
		status: release.CRDSchemaStatus{
			CRD: known.definition.Name, Digest: compare.Digest(nil, known.definition),
			Approval: release.ApprovalNotRequired, RequestedBy: known.requester(),
		},
		warnings: missing(schema, known),
	}
	if judged.status.Digest == "" {
		judged.errs = field.ErrorList{field.Forbidden(definitionPath,
			"the schema is nested too deeply to be compared; reduce its depth")}
		return judged
	}
	if judged.errs = append(foreign(known), wrongBaseline(schema, known)...); len(judged.errs) > 0 {
		return judged
	}
	compared := known.comparison()
	switch {
	case schema.Spec.OperatorVersionRef != nil && known.version == nil:
		judged.later(schema.Spec.OperatorVersionRef.Name)
	case compared.Empty():
		judged.settle(release.PhaseReady, metav1.ConditionTrue, v1alpha1.ReasonNothingToCompare,
			fmt.Sprintf("There is no earlier version of CRD %s to compare with.", known.definition.Name))
	default:
		judged.compared(schema, known, compared)
	}
	return judged
}

// missing warns of a named object that does not exist. It may be created later, or be a misspelling.
func missing(schema *release.CRDSchema, known facts) []string {
	const consequence = "until it is created, a breaking change needs an approval"
	switch {
	case schema.Spec.OperatorVersionRef == nil:
		return nil
	case known.version == nil:
		return []string{fmt.Sprintf("spec.operatorVersionRef.name: OperatorVersion %q does not exist; %s",
			schema.Spec.OperatorVersionRef.Name, consequence)}
	case known.operator == nil:
		return []string{fmt.Sprintf("spec.operatorVersionRef.name: Operator %q of OperatorVersion %q does not exist; %s",
			known.version.Spec.OperatorRef.Name, known.version.Name, consequence)}
	}
	return nil
}

// foreign refuses a CRDSchema that a user creates for a version whose CRDs are read from its chart:
// the CRDSchema would take the place of a CRD of the chart.
func foreign(known facts) field.ErrorList {
	if known.version == nil || known.version.Spec.CRDSource == release.CRDSourceManual || known.caller == known.controllerUser {
		return nil
	}
	return field.ErrorList{field.Forbidden(versionPath, fmt.Sprintf(
		"CRDSchemas of OperatorVersion %s are created by the controller from the chart. To create them yourself, create the "+
			"OperatorVersion with spec.crdSource: Manual, which needs the verb bypass on approvals.%s", known.version.Name, release.GroupName))}
}

// wrongBaseline refuses a spec.againstRef that does not name a usable baseline.
func wrongBaseline(schema *release.CRDSchema, known facts) field.ErrorList {
	ref := schema.Spec.AgainstRef
	switch {
	case ref == nil || ref.Name == "":
		return nil
	case known.named == nil:
		return field.ErrorList{field.NotFound(againstPath, ref.Name)}
	case known.named.CRD.Name != known.definition.Name:
		return field.ErrorList{field.Invalid(againstPath, ref.Name,
			fmt.Sprintf("contains CRD %s, which CRD %s cannot be compared with", known.named.CRD.Name, known.definition.Name))}
	case !known.named.Accepted():
		return field.ErrorList{field.Invalid(againstPath, ref.Name,
			fmt.Sprintf("is not accepted (status.approval is %q), so its own change would not be reviewed. "+
				"Wait until it is approved, or reference another CRDSchema", known.named.Approval))}
	}
	return nil
}

// later sets the outcome for a CRD whose OperatorVersion does not exist: its baseline is unknown,
// and spec.againstRef must not replace it.
func (j *judgement) later(version string) {
	j.status.Approval = ""
	j.settle(release.PhasePending, metav1.ConditionFalse, v1alpha1.ReasonOperatorVersionNotFound,
		fmt.Sprintf("OperatorVersion %q does not exist. Until it is created, the baseline of the CRD is unknown.", version))
}

// compared sets the outcome for a CRD that has a baseline.
func (j *judgement) compared(schema *release.CRDSchema, known facts, compared crdpolicy.Comparison) {
	report := compared.Report()
	outcome := crdpolicy.Decide(report, policy(known.operator), strings.TrimSpace(schema.Annotations[release.RequestApprovalAnnotation]) != "")
	if outcome.Refuses() {
		j.errs = append(crdpolicy.Causes(report, definitionPath), wayOut(outcome, report, known)...)
		return
	}
	if against := compared.Against(); against != nil {
		j.status.Against = &release.CRDSchemaBaseline{
			Name: against.Name, UID: against.UID, Digest: compare.Digest(nil, against.CRD), Change: report.Digest,
		}
	}
	j.status.Compatibility = release.Compatibility(report.Verdict)
	j.status.Findings, j.status.TotalFindings = evidence.Findings(report, validation.MaxFindings)
	j.warnings = append(j.warnings, crdpolicy.Warnings(report)...)
	j.conclude(outcome, compared.Describe(report))
}

// conclude sets the condition of a CRDSchema that is stored.
func (j *judgement) conclude(outcome crdpolicy.Outcome, change string) {
	switch outcome {
	case crdpolicy.Pending:
		j.status.Approval = release.ApprovalPending
		j.warnings = append(j.warnings, "the CRDSchema is stored, but must not be rolled out until it is approved; see: kubectl get "+
			"approvals.release.roadstead.dev")
		j.settle(release.PhaseAwaitingApproval, metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval,
			change+" and awaits a decision: see kubectl get approvals.release.roadstead.dev")
	case crdpolicy.PassedWithWarning:
		j.settle(release.PhaseReady, metav1.ConditionTrue, v1alpha1.ReasonBreakingAllowed,
			change+"; the policy of the Operator (spec.crdPolicy.breaking) allows it with a warning")
	default:
		j.settle(release.PhaseReady, metav1.ConditionTrue, v1alpha1.ReasonCompatible, change)
	}
}

// wayOut returns the last cause of a refusal: what a user can do other than correct the CRD.
func wayOut(outcome crdpolicy.Outcome, report rules.Report, known facts) field.ErrorList {
	switch {
	case outcome == crdpolicy.Unrequested:
		return field.ErrorList{field.Required(approvalPath, fmt.Sprintf(
			`a breaking change needs an approval. To request one, set the annotation %s: "<why the change is needed>". The CRDSchema is `+
				`then stored and awaits the decision`, release.RequestApprovalAnnotation))}
	case report.Verdict != rules.Refused:
		return field.ErrorList{field.Forbidden(definitionPath,
			fmt.Sprintf("Operator %q does not allow breaking changes: its spec.crdPolicy.breaking is %s", known.operator.Name,
				known.operator.Spec.CRDPolicy.Breaking))}
	}
	return nil
}

// policy returns the policy of the Operator. Without an Operator, a breaking change needs an
// approval.
func policy(operator *release.Operator) crdpolicy.Policy {
	if operator == nil {
		return crdpolicy.RequireApproval
	}
	return crdpolicy.Policy(operator.Spec.CRDPolicy.Breaking)
}

func (j *judgement) settle(phase release.Phase, ready metav1.ConditionStatus, reason, message string) {
	j.status.Phase = phase
	j.status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: ready, Reason: reason, Message: message,
		LastTransitionTime: metav1.Now()}}
}
