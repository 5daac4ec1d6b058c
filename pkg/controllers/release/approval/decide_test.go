// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

func TestWhatBecomesOfAnApproval(t *testing.T) {
	pending := v1alpha1.ApprovalStatus{Decision: v1alpha1.OutcomePending, ExpiresAt: &metav1.Time{Time: start.Add(time.Hour)}}
	decided := func(outcome v1alpha1.ApprovalOutcome) v1alpha1.ApprovalStatus {
		return v1alpha1.ApprovalStatus{Decision: outcome, ExpiresAt: pending.ExpiresAt, DecidedAt: &metav1.Time{Time: start}}
	}
	far := pending
	far.ExpiresAt = &metav1.Time{Time: start.Add(100 * time.Hour)}
	for name, c := range map[string]struct {
		status v1alpha1.ApprovalStatus
		seen   observation
		want   plan
	}{
		"it waits": {pending, observation{trusted: true, now: start},
			plan{decision: v1alpha1.OutcomePending, wait: time.Hour}},
		"it waits long": {far, observation{trusted: true, now: start},
			plan{decision: v1alpha1.OutcomePending, wait: longestWait}},
		"the last moment": {pending, observation{trusted: true, now: start.Add(time.Hour - 1)},
			plan{decision: v1alpha1.OutcomePending, wait: 1}},
		"nobody decided": {pending, observation{trusted: true, now: start.Add(time.Hour)},
			plan{decision: v1alpha1.OutcomeExpired, wait: longestWait}},
		"the subject changed": {pending, observation{trusted: true, now: start, changed: "x"},
			plan{decision: v1alpha1.OutcomeVoided, wait: longestWait}},
		"the subject changed, and late": {pending, observation{trusted: true, now: start.Add(2 * time.Hour), changed: "x"},
			plan{decision: v1alpha1.OutcomeVoided, wait: longestWait}},
		"approved": {decided(v1alpha1.OutcomeApproved), observation{trusted: true, now: start.Add(time.Minute),
			retention: 2 * time.Minute}, plan{decision: v1alpha1.OutcomeApproved, wait: time.Minute}},
		"approved stays, whatever comes": {decided(v1alpha1.OutcomeApproved), observation{trusted: true, now: start.Add(2 * time.Hour),
			changed: "x", retention: 3 * time.Hour}, plan{decision: v1alpha1.OutcomeApproved, wait: time.Hour}},
		"kept long enough": {decided(v1alpha1.OutcomeRejected), observation{trusted: true, now: start.Add(time.Hour),
			retention: time.Hour}, plan{decision: v1alpha1.OutcomeRejected, remove: true}},
		"kept long": {decided(v1alpha1.OutcomeRejected), observation{trusted: true, now: start, retention: retention},
			plan{decision: v1alpha1.OutcomeRejected, wait: longestWait}},
		"decided, and nobody knows when": {v1alpha1.ApprovalStatus{Decision: v1alpha1.OutcomeVoided}, observation{trusted: true, now: start},
			plan{decision: v1alpha1.OutcomeVoided}},
		"late, by a clock that jumped": {pending, observation{now: start.Add(400 * 24 * time.Hour)},
			plan{decision: v1alpha1.OutcomePending, wait: untrustedWait}},
		"voided, by a clock that jumped": {pending, observation{now: start.Add(400 * 24 * time.Hour), changed: "x"},
			plan{decision: v1alpha1.OutcomeVoided, wait: longestWait}},
		"kept, by a clock that jumped": {decided(v1alpha1.OutcomeApproved), observation{now: start.Add(400 * 24 * time.Hour),
			retention: time.Hour}, plan{decision: v1alpha1.OutcomeApproved, wait: longestWait}},
		"kept for ever": {decided(v1alpha1.OutcomeApproved), observation{trusted: true, now: start.Add(4000 * 24 * time.Hour)},
			plan{decision: v1alpha1.OutcomeApproved}},
		"nobody knows when it would be": {v1alpha1.ApprovalStatus{}, observation{trusted: true, now: start},
			plan{decision: v1alpha1.OutcomePending}},
	} {
		assert.Equal(t, c.want, decide(&v1alpha1.Approval{Status: c.status}, c.seen), name)
	}
}

func TestTextsAreBounded(t *testing.T) {
	schema := waiting(t)
	schema.Status.TotalFindings = 99
	for range 30 {
		schema.Status.Findings = append(schema.Status.Findings, v1alpha1.Finding{Message: strings.Repeat("ä", 1024)})
	}
	assert.LessOrEqual(t, utf8.RuneCountInString(summary(schema)), longestSummary)
	schema.Status.Findings = schema.Status.Findings[:1]
	assert.Equal(t, ": the change from CRDSchema old breaks what uses it (worst verdict B, 99 "+
		"findings)\nspec.versions[v1].schema.name: [CRD-402 B] shorter.\nand 98 more: see status.findings",
		strings.TrimPrefix(summary(schema), crd))
}
