// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/apis/release"
)

var asked = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// pending returns an Approval requested by ann that two users must approve within an hour.
func pending(said ...release.ApprovalRecord) *release.Approval {
	return &release.Approval{
		ObjectMeta: metav1.ObjectMeta{Name: "question"},
		Spec:       release.ApprovalSpec{RequestedBy: "ann", Levels: 2, Subject: release.ApprovalSubject{Kind: "CRDSchema", Name: "schema"}},
		Status: release.ApprovalStatus{
			Decision: release.OutcomePending, Decisions: said, ExpiresAt: &metav1.Time{Time: asked.Add(time.Hour)},
		},
	}
}

func TestDecide_Outcomes(t *testing.T) {
	bob := release.ApprovalRecord{Level: 1, User: "bob", Decision: release.OutcomeApproved}
	final := pending(bob)
	final.Status.Decision = release.OutcomeApproved
	expired := pending()
	expired.Status.Decision = release.OutcomeExpired
	for name, c := range map[string]struct {
		approval *release.Approval
		said     word
		decision release.ApprovalOutcome
		refused  func(error) bool
		says     string
	}{
		"the first of two": {pending(), word{user: "bob", outcome: release.OutcomeApproved, at: asked}, release.OutcomePending, nil, ""},
		"the second of two": {pending(bob), word{user: "cleo", outcome: release.OutcomeApproved, at: asked},
			release.OutcomeApproved, nil, ""},
		"one twice": {pending(bob), word{user: "bob", outcome: release.OutcomeApproved, at: asked}, "", apierrors.IsConflict,
			"bob has already approved it; 1 of 2 required users have approved"},
		"who asked": {pending(), word{user: "ann", outcome: release.OutcomeApproved, at: asked}, "", apierrors.IsForbidden,
			"another user must approve"},
		"who asked, where it may": {pending(), word{user: "ann", outcome: release.OutcomeApproved, at: asked, ownRequest: true},
			release.OutcomePending, nil, ""},
		"withdrawn":        {pending(bob), word{user: "ann", outcome: release.OutcomeRejected, at: asked}, release.OutcomeRejected, nil, ""},
		"a second thought": {pending(bob), word{user: "bob", outcome: release.OutcomeRejected, at: asked}, release.OutcomeRejected, nil, ""},
		"decided": {final, word{user: "cleo", outcome: release.OutcomeRejected, at: asked}, "", apierrors.IsConflict,
			"already been decided: Approved by bob"},
		"marked as expired": {expired, word{user: "cleo", outcome: release.OutcomeApproved, at: asked}, "", apierrors.IsConflict,
			"already been decided: Expired"},
		"at the last moment": {pending(), word{user: "bob", outcome: release.OutcomeApproved, at: asked.Add(time.Hour - time.Nanosecond)},
			release.OutcomePending, nil, ""},
		"too late": {pending(), word{user: "bob", outcome: release.OutcomeApproved, at: asked.Add(time.Hour)}, "", apierrors.IsConflict,
			"expired at 2026-01-02T04:04:05Z; to request an approval again, delete CRDSchema schema"},
	} {
		before := c.approval.DeepCopy()
		err := decide(c.approval, c.said)
		if c.refused != nil {
			assert.True(t, c.refused(err), "%s: %v", name, err)
			assert.ErrorContains(t, err, c.says, name)
			assert.Equal(t, before, c.approval, name)
			continue
		}
		require.NoError(t, err, name)
		status := c.approval.Status
		assert.Equal(t, c.decision, status.Decision, name)
		assert.Equal(t, c.decision != release.OutcomePending, status.DecidedAt != nil, name)
		last := status.Decisions[len(status.Decisions)-1]
		assert.Equal(t, c.said.user, last.User, name)
		assert.Equal(t, c.said.outcome, last.Decision, name)
		assert.Equal(t, c.said.outcome == release.OutcomeApproved, last.Level > 0, name)
	}
}

// TestNobodyApprovesAlone checks for any sequence of decisions: an approved Approval has the
// required number of different approvers, the requester is not among them, no user rejected it, and
// nothing was recorded after it was decided.
func TestNobodyApprovesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		approval := pending()
		approval.Spec.Levels = rapid.Int32Range(1, 4).Draw(t, "levels")
		words := rapid.IntRange(0, 12).Draw(t, "words")
		for range words {
			before := approval.DeepCopy()
			err := decide(approval, word{
				user: rapid.SampledFrom([]string{"ann", "bob", "cleo", "dan", "eve"}).Draw(t, "user"),
				outcome: rapid.SampledFrom([]release.ApprovalOutcome{release.OutcomeApproved, release.OutcomeApproved, release.OutcomeApproved,
					release.OutcomeRejected}).Draw(t, "outcome"),
				at: asked.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "minute")) * time.Minute),
			})
			require.Equal(t, err != nil, assert.ObjectsAreEqual(before, approval))
			require.False(t, err == nil && before.Status.Decision != release.OutcomePending, "decided twice")
		}
		users := map[string]bool{}
		for i, record := range approval.Status.Decisions {
			if record.Decision == release.OutcomeRejected {
				require.Equal(t, release.OutcomeRejected, approval.Status.Decision)
				require.Equal(t, len(approval.Status.Decisions)-1, i)
				continue
			}
			require.EqualValues(t, i+1, record.Level)
			users[record.User] = true
		}
		require.False(t, users["ann"])
		if approval.Status.Decision == release.OutcomeApproved {
			require.Len(t, users, int(approval.Spec.Levels))
		}
	})
}

func TestExpires(t *testing.T) {
	approval := pending()
	assert.Equal(t, "60m", expires(approval, asked))
	assert.Equal(t, "expired", expires(approval, asked.Add(2*time.Hour)))
	approval.Status.Decision = release.OutcomeVoided
	assert.Empty(t, expires(approval, asked))
}
