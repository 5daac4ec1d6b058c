// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/util/text"
)

// SubjectCRDSchema is the only supported kind of spec.subject.
const SubjectCRDSchema = "CRDSchema"

// Limits of spec.expiresAfter.
const (
	MinExpiresAfter = time.Minute
	MaxExpiresAfter = 8760 * time.Hour
)

// MaxDecisionReason is the maximum number of characters of a reason.
const MaxDecisionReason = 1024

// ValidateApproval validates a new Approval whose spec the server has completed.
func ValidateApproval(approval *release.Approval) field.ErrorList {
	var errs field.ErrorList
	spec, path := &approval.Spec, field.NewPath("spec")
	if spec.Subject.Kind != SubjectCRDSchema {
		errs = append(errs, field.NotSupported(path.Child("subject", "kind"), cut(spec.Subject.Kind), []string{SubjectCRDSchema}))
	} else if wanted := release.ApprovalName(spec.Subject.Kind, spec.Subject.UID, string(spec.Type),
		spec.Environment); approval.Name != wanted {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), approval.Name,
			fmt.Sprintf("must be %q, so that there is one Approval of a subject", cut(wanted))))
	}
	if len(spec.RequestedBy) > maxUser {
		errs = append(errs, field.TooLong(path.Child("requestedBy"), "", maxUser))
	}
	if after := spec.ExpiresAfter; after == nil || after.Duration < MinExpiresAfter || after.Duration > MaxExpiresAfter {
		errs = append(errs, field.Invalid(path.Child("expiresAfter"), durationText(after), "must be 1m to 8760h"))
	}
	return errs
}

// ValidateApprovalUpdate validates an update of an Approval: the immutability of fields that have
// no marker for it.
func ValidateApprovalUpdate(approval, old *release.Approval) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("spec")
	const immutable = "field is immutable"
	if !approval.Spec.RequestedAt.Equal(&old.Spec.RequestedAt) {
		errs = append(errs, field.Invalid(path.Child("requestedAt"), approval.Spec.RequestedAt.String(), immutable))
	}
	if !apiequality.Semantic.DeepEqual(approval.Spec.ExpiresAfter, old.Spec.ExpiresAfter) {
		errs = append(errs, field.Invalid(path.Child("expiresAfter"), durationText(approval.Spec.ExpiresAfter), immutable))
	}
	return errs
}

// ValidateApprovalStatus validates a status that is written through the subresource status. It
// allows a writer to record that the Approval expired or was voided. Only approve and reject may
// record decisions of users.
func ValidateApprovalStatus(approval, old *release.Approval) field.ErrorList {
	path := field.NewPath("status")
	errs := validateOutcome(approval, old)
	if next := approval.Status.Decision; len(errs) == 0 && next != old.Status.Decision && (next == release.OutcomeApproved ||
		next == release.OutcomeRejected) {
		errs = append(errs, field.Forbidden(path.Child("decision"),
			"a user's decision is recorded by the subresources approve and reject only"))
	}
	if !apiequality.Semantic.DeepEqual(approval.Status.Decisions, old.Status.Decisions) {
		errs = append(errs, field.Forbidden(path.Child("decisions"),
			"are recorded by the subresources approve and reject only, and never change"))
	}
	return append(errs, validateConditions(approval.Status.Conditions, path.Child("conditions"))...)
}

// ValidateApprovalDecided validates a status that was written by approve or reject.
func ValidateApprovalDecided(approval, old *release.Approval) field.ErrorList {
	path := field.NewPath("status")
	errs := validateOutcome(approval, old)
	said, before := approval.Status.Decisions, old.Status.Decisions
	if len(said) < len(before) || !apiequality.Semantic.DeepEqual(said[:len(before)], before) {
		errs = append(errs, field.Forbidden(path.Child("decisions"), "what is recorded never changes"))
	}
	return errs
}

// validateOutcome rejects changes of a final decision.
func validateOutcome(approval, old *release.Approval) field.ErrorList {
	path := field.NewPath("status")
	was, is := &old.Status, &approval.Status
	var errs field.ErrorList
	switch {
	case !slices.Contains(outcomes, is.Decision):
		errs = append(errs, field.NotSupported(path.Child("decision"), release.ApprovalOutcome(cut(string(is.Decision))), outcomes))
	case is.Decision != was.Decision && was.Decision != release.OutcomePending && was.Decision != "":
		errs = append(errs, field.Forbidden(path.Child("decision"), fmt.Sprintf("%s is final", was.Decision)))
	}
	if is.Decision == release.OutcomePending && is.DecidedAt != nil {
		errs = append(errs, field.Forbidden(path.Child("decidedAt"), "nothing is decided while status.decision is Pending"))
	}
	if was.DecidedAt != nil && !was.DecidedAt.Equal(is.DecidedAt) {
		errs = append(errs, field.Forbidden(path.Child("decidedAt"), "what is recorded never changes"))
	}
	if was.ExpiresAt != nil && !was.ExpiresAt.Equal(is.ExpiresAt) {
		errs = append(errs, field.Forbidden(path.Child("expiresAt"), "never changes"))
	}
	return errs
}

var outcomes = []release.ApprovalOutcome{
	release.OutcomePending, release.OutcomeApproved, release.OutcomeRejected, release.OutcomeExpired, release.OutcomeVoided,
}

// ValidateApprovalDecision validates the request body of approve and reject.
func ValidateApprovalDecision(decision *release.ApprovalDecision, required bool) field.ErrorList {
	path := field.NewPath("reason")
	switch {
	case utf8.RuneCountInString(decision.Reason) > MaxDecisionReason:
		return field.ErrorList{field.TooLong(path, "", MaxDecisionReason)}
	case required && strings.TrimSpace(decision.Reason) == "":
		return field.ErrorList{field.Required(path, "state the reason, so that the requester can correct the change")}
	}
	return nil
}

// cut truncates a value that is repeated in an error.
func cut(value string) string { return text.Characters(value, 253) }

func durationText(duration *metav1.Duration) string {
	if duration == nil {
		return ""
	}
	return duration.Duration.String()
}
