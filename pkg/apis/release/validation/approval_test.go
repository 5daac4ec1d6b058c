// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release"
)

func question(change ...func(*release.Approval)) *release.Approval {
	asked := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	approval := &release.Approval{
		ObjectMeta: metav1.ObjectMeta{Name: "crdschema-12345678-9ab-breakingcrdchange"},
		Spec: release.ApprovalSpec{
			Subject: release.ApprovalSubject{Kind: "CRDSchema", Name: "cert-manager-v1.15.0.certificates.cert-manager.io",
				UID: "12345678-9abc-def0-1234-56789abcdef0", Digest: "sha256:0"},
			Type: release.ApprovalBreakingCRDChange, Levels: 1, RequestedBy: "ann",
			RequestedAt: metav1.NewTime(asked), ExpiresAfter: &metav1.Duration{Duration: 24 * time.Hour},
		},
		Status: release.ApprovalStatus{Decision: release.OutcomePending, ExpiresAt: &metav1.Time{Time: asked.Add(24 * time.Hour)}},
	}
	for _, do := range change {
		do(approval)
	}
	return approval
}

func TestWhatIsNoApproval(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*release.Approval)
		path   string
		says   string
	}{
		"as it should be": {func(*release.Approval) {}, "", ""},
		"environment":     {func(a *release.Approval) { a.Spec.Environment, a.Name = "Production", a.Name+"-production" }, "", ""},
		"another name":    {func(a *release.Approval) { a.Name = "mine" }, "metadata.name", "crdschema-12345678-9ab-breakingcrdchange"},
		"another subject": {func(a *release.Approval) { a.Spec.Subject.Kind = "Rollout" }, "spec.subject.kind", "CRDSchema"},
		"a short wait":    {func(a *release.Approval) { a.Spec.ExpiresAfter.Duration = time.Second }, "spec.expiresAfter", "1m to 8760h"},
		"a long wait":     {func(a *release.Approval) { a.Spec.ExpiresAfter.Duration = 9000 * time.Hour }, "spec.expiresAfter", "1m to 8760h"},
		"no wait":         {func(a *release.Approval) { a.Spec.ExpiresAfter = nil }, "spec.expiresAfter", "1m to 8760h"},
		"a huge name":     {func(a *release.Approval) { a.Spec.RequestedBy = strings.Repeat("a", 5000) }, "spec.requestedBy", "4096"},
	} {
		errs := ValidateApproval(question(c.change))
		if c.path == "" {
			assert.Empty(t, errs, name)
			continue
		}
		if assert.Len(t, errs, 1, name) {
			assert.Equal(t, c.path, errs[0].Field, name)
			assert.Contains(t, errs[0].Error(), c.says, name)
		}
	}
}

func TestTimesOfAnApprovalAreImmutable(t *testing.T) {
	assert.Empty(t, ValidateApprovalUpdate(question(), question()))
	errs := ValidateApprovalUpdate(question(func(a *release.Approval) {
		a.Spec.RequestedAt, a.Spec.ExpiresAfter = metav1.Now(), &metav1.Duration{Duration: time.Hour}
	}), question())
	if assert.Len(t, errs, 2) {
		assert.Equal(t, "spec.requestedAt", errs[0].Field)
		assert.Equal(t, "spec.expiresAfter", errs[1].Field)
	}
}

func decided(outcome release.ApprovalOutcome) func(*release.Approval) {
	return func(a *release.Approval) {
		at := metav1.NewTime(a.Spec.RequestedAt.Add(time.Hour))
		a.Status.Decision, a.Status.DecidedAt = outcome, &at
		if outcome == release.OutcomeApproved || outcome == release.OutcomeRejected {
			a.Status.Decisions = []release.ApprovalRecord{{Level: 1, User: "bob", Decision: outcome, Time: at}}
		}
	}
}

func TestADecisionMovesForwardOnly(t *testing.T) {
	later := metav1.NewTime(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
	for name, c := range map[string]struct {
		old, new func(*release.Approval)
		path     string
		says     string
		// people reports that approve and reject may write this status.
		people bool
	}{
		"nothing":        {func(*release.Approval) {}, func(*release.Approval) {}, "", "", true},
		"it expires":     {func(*release.Approval) {}, decided(release.OutcomeExpired), "", "", true},
		"it is voided":   {func(*release.Approval) {}, decided(release.OutcomeVoided), "", "", true},
		"still approved": {decided(release.OutcomeApproved), decided(release.OutcomeApproved), "", "", true},
		"forged": {func(*release.Approval) {}, decided(release.OutcomeApproved), "status.decision",
			"by the subresources approve and reject only", true},
		"forged without people": {func(*release.Approval) {}, func(a *release.Approval) { a.Status.Decision = release.OutcomeRejected },
			"status.decision", "by the subresources approve and reject only", true},
		"taken back": {decided(release.OutcomeApproved), func(*release.Approval) {}, "status.decision", "Approved is final", false},
		"turned": {decided(release.OutcomeRejected), decided(release.OutcomeApproved), "status.decision",
			"Rejected is final", false},
		"revived": {decided(release.OutcomeExpired), decided(release.OutcomeApproved), "status.decision",
			"Expired is final", false},
		"forgotten": {func(*release.Approval) {}, func(a *release.Approval) { a.Status.Decision = "" }, "status.decision",
			"Unsupported value", false},
		"unknown": {func(*release.Approval) {}, func(a *release.Approval) { a.Status.Decision = "Maybe" },
			"status.decision", "Maybe", false},
		"other words": {decided(release.OutcomeApproved),
			func(a *release.Approval) { decided(release.OutcomeApproved)(a); a.Status.Decisions[0].User = "eve" },
			"status.decisions", "never change", false},
		"another hour": {decided(release.OutcomeApproved),
			func(a *release.Approval) { decided(release.OutcomeApproved)(a); a.Status.DecidedAt = &later },
			"status.decidedAt", "never changes", false},
		"more time": {func(*release.Approval) {}, func(a *release.Approval) { a.Status.ExpiresAt = &later },
			"status.expiresAt", "never changes", false},
		"decided while pending": {func(*release.Approval) {}, func(a *release.Approval) { a.Status.DecidedAt = &later },
			"status.decidedAt", "Pending", false},
		"no condition": {func(*release.Approval) {}, func(a *release.Approval) { a.Status.Conditions = []metav1.Condition{{Type: "Ready"}} },
			"status.conditions[0].status", "Required", true},
	} {
		errs := ValidateApprovalStatus(question(c.new), question(c.old))
		if c.path == "" {
			assert.Empty(t, errs, name)
		} else if assert.NotEmpty(t, errs, name) {
			assert.Equal(t, c.path, errs[0].Field, name)
			assert.Contains(t, errs[0].Error(), c.says, name)
		}
		assert.Equal(t, c.people, len(ValidateApprovalDecided(question(c.new), question(c.old))) == 0, "%s: what people may write", name)
	}
}

func TestReasons(t *testing.T) {
	for name, c := range map[string]struct {
		reason           string
		approve, require bool
	}{
		"given":    {"because", true, true},
		"none":     {"", true, false},
		"spaces":   {" \n", true, false},
		"endless":  {strings.Repeat("ä", 1025), false, false},
		"long one": {strings.Repeat("ä", 1024), true, true},
	} {
		assert.Equal(t, c.approve, len(ValidateApprovalDecision(&release.ApprovalDecision{Reason: c.reason}, false)) == 0, name)
		assert.Equal(t, c.require, len(ValidateApprovalDecision(&release.ApprovalDecision{Reason: c.reason}, true)) == 0, name)
	}
}
