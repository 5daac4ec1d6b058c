// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

func TestCreate_ControllerOnly(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"ann", "system:admin", "system:serviceaccount:other:roadstead-controller", ""} {
		_, err := w.Main.Create(as(t, name, ""), asking(), nil, &metav1.CreateOptions{})
		assert.True(t, apierrors.IsForbidden(err), "%s: %v", name, err)
		assert.ErrorContains(t, err, "only the controller creates Approvals", name)
		_, err = w.Main.Create(as(t, name, ""), asking(), nil, &metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		assert.True(t, apierrors.IsForbidden(err), "dry run of %s: %v", name, err)
		_, _, err = w.Main.Update(as(t, name, ""), asking().Name, rest.DefaultUpdatedObjectInfo(asking()), nil, nil,
			true, &metav1.UpdateOptions{})
		assert.True(t, apierrors.IsForbidden(err), "apply of %s: %v", name, err)
	}
	made := w.ask()
	assert.Equal(t, release.ApprovalSpec{
		Subject: release.ApprovalSubject{Kind: "CRDSchema", Name: "new", UID: "uid-of-00000000-0000-0000",
			Digest: compare.Digest(definition(100), definition(10))},
		Type: release.ApprovalBreakingCRDChange, Levels: 1, RequestedBy: "ann", Reason: "nobody needs more", Summary: "B! maxLength 100 to 10",
		RequestedAt: made.Spec.RequestedAt, ExpiresAfter: &metav1.Duration{Duration: time.Hour},
	}, made.Spec)
	assert.True(t, made.Spec.RequestedAt.Time.Equal(asked))
	assert.Equal(t, release.OutcomePending, made.Status.Decision)
	assert.True(t, made.Status.ExpiresAt.Time.Equal(asked.Add(time.Hour)))
}

func TestCreate_SubjectMustBePending(t *testing.T) {
	w := newWorld(t)
	waiting := w.schemas["new"].(*release.CRDSchema)
	for name, c := range map[string]struct {
		change func(*release.Approval, *release.CRDSchema)
		path   string
	}{
		"unknown":    {func(a *release.Approval, _ *release.CRDSchema) { a.Spec.Subject.Name = "other" }, "spec.subject.name"},
		"nameless":   {func(a *release.Approval, _ *release.CRDSchema) { a.Spec.Subject.Name = "" }, "spec.subject.name"},
		"made anew":  {func(_ *release.Approval, s *release.CRDSchema) { s.UID = "another" }, "spec.subject.uid"},
		"no schema":  {func(a *release.Approval, _ *release.CRDSchema) { a.Spec.Subject.Kind = "Rollout" }, "spec.subject.kind"},
		"fine":       {func(_ *release.Approval, s *release.CRDSchema) { s.Status.Approval = release.ApprovalNotRequired }, "spec.subject.name"},
		"other name": {func(a *release.Approval, _ *release.CRDSchema) { a.Name = "mine" }, "metadata.name"},
	} {
		approval, schema := asking(), waiting.DeepCopy()
		c.change(approval, schema)
		w.schemas["new"] = schema
		_, err := w.Main.Create(as(t, controller, ""), approval, nil, &metav1.CreateOptions{})
		require.True(t, apierrors.IsInvalid(err), "%s: %v", name, err)
		var status *apierrors.StatusError
		require.ErrorAs(t, err, &status)
		assert.Equal(t, c.path, status.ErrStatus.Details.Causes[0].Field, name)
	}
}

func TestDecision_Permissions(t *testing.T) {
	w := newWorld(t)
	w.ask()
	err := w.say(w.Approve, "ann", "")
	assert.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.ErrorContains(t, err, "another user must approve")
	for _, through := range []*DecisionREST{w.Approve, w.Reject} {
		err = w.say(through, "dan", "because")
		assert.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.ErrorContains(t, err, `dan needs the verb "approve" on approvals.release.roadstead.dev`)
	}
	err = w.say(w.Approve, "system:anonymous", "")
	assert.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.True(t, apierrors.IsInvalid(w.say(w.Reject, "bob", " ")), "a rejection says why")
	require.NoError(t, w.say(w.Approve, "bob", "", metav1.DryRunAll))
	assert.Equal(t, release.OutcomePending, w.stored().Status.Decision)
	require.NoError(t, w.say(w.Approve, "bob", "seen"))
	stored := w.stored()
	assert.Equal(t, release.OutcomeApproved, stored.Status.Decision)
	assert.Equal(t, []release.ApprovalRecord{{Level: 1, User: "bob", Decision: release.OutcomeApproved, Reason: "seen",
		Time: stored.Status.Decisions[0].Time}}, stored.Status.Decisions)
	assert.True(t, stored.Status.DecidedAt.Time.Equal(asked))
	err = w.say(w.Reject, "cleo", "no")
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	assert.ErrorContains(t, err, "already been decided: Approved by bob")
	assert.True(t, apierrors.IsNotFound(mustFail(w.Approve.Create(as(t, "bob", "approve"), "other", &release.ApprovalDecision{}, nil,
		&metav1.CreateOptions{}))))
}

func mustFail(_ runtime.Object, err error) error { return err }

func TestReject_ByTheRequester(t *testing.T) {
	w := newWorld(t)
	w.approvers = nil
	w.ask()
	require.NoError(t, w.say(w.Reject, "ann", "not needed"))
	assert.Equal(t, release.OutcomeRejected, w.stored().Status.Decision)
}

func TestApprove_SelfApprovalAllowed(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.SelfApproval = true })
	w.ask()
	require.NoError(t, w.say(w.Approve, "ann", ""))
	assert.Equal(t, release.OutcomeApproved, w.stored().Status.Decision)
}

func TestApprove_Expired(t *testing.T) {
	w := newWorld(t)
	w.ask()
	w.clock.SetTime(asked.Add(time.Hour))
	err := w.say(w.Approve, "bob", "")
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	assert.ErrorContains(t, err, "expired at")
}

func TestApprove_ChangedSubject(t *testing.T) {
	w := newWorld(t)
	w.ask()
	waiting, old := w.schemas["new"].(*release.CRDSchema), w.schemas["old"].(*release.CRDSchema)
	for name, c := range map[string]struct {
		change func(new, old *release.CRDSchema)
		says   string
	}{
		"gone":      {func(new, _ *release.CRDSchema) { delete(w.schemas, new.Name) }, "CRDSchema new no longer exists"},
		"made anew": {func(new, _ *release.CRDSchema) { new.UID = "another" }, "deleted and created again"},
		"not pending": {func(new, _ *release.CRDSchema) { new.Status.Approval = release.ApprovalRejected },
			"no longer waits for an approval"},
		"no baseline": {func(new, _ *release.CRDSchema) { new.Status.Against = nil }, "is no longer compared with another one"},
		"baseline gone": {func(_, old *release.CRDSchema) { delete(w.schemas, old.Name) },
			"CRDSchema old, which it is compared with, no longer exists"},
		"baseline changed": {func(_, old *release.CRDSchema) { *old = *schemaOf(t, "old", definition(99)) }, "has another CRD now"},
		"definition changed": {func(new, _ *release.CRDSchema) {
			new.Spec = schemaOf(t, "new", definition(9)).Spec
		}, "has another CRD now"},
	} {
		new, before := waiting.DeepCopy(), old.DeepCopy()
		w.schemas["new"], w.schemas["old"] = new, before
		c.change(new, before)
		err := w.say(w.Approve, "bob", "")
		assert.True(t, apierrors.IsConflict(err), "%s: %v", name, err)
		assert.ErrorContains(t, err, "the subject changed", name)
		assert.ErrorContains(t, err, c.says, name)
	}
	delete(w.schemas, "old")
	require.NoError(t, w.say(w.Reject, "bob", "stale"), "a question about what changed may be closed")
}

func TestDecision_InvalidBodies(t *testing.T) {
	w := newWorld(t)
	w.ask()
	send := func(body runtime.Object, validate rest.ValidateObjectFunc) (runtime.Object, error) {
		return w.Approve.Create(as(t, "bob", "approve"), asking().Name, body, validate, &metav1.CreateOptions{})
	}
	_, err := send(&release.Approval{}, nil)
	assert.True(t, apierrors.IsBadRequest(err), "%v", err)
	_, err = send(&release.ApprovalDecision{ObjectMeta: metav1.ObjectMeta{Name: "other"}}, nil)
	assert.True(t, apierrors.IsBadRequest(err), "%v", err)
	policy := errors.New("not on Fridays")
	_, err = send(&release.ApprovalDecision{Reason: "friday"}, func(_ context.Context, obj runtime.Object) error {
		assert.Equal(t, "friday", obj.(*release.ApprovalDecision).Reason)
		return policy
	})
	assert.ErrorIs(t, err, policy, "validating admission has its say")
	assert.Equal(t, release.OutcomePending, w.stored().Status.Decision)
	answer, err := send(&release.ApprovalDecision{ObjectMeta: metav1.ObjectMeta{Name: asking().Name}, Reason: "fine"},
		rest.ValidateAllObjectFunc)
	require.NoError(t, err)
	assert.Equal(t, asking().Name, answer.(*release.ApprovalDecision).Name)
	assert.Equal(t, "fine", answer.(*release.ApprovalDecision).Reason)
}

// Of several concurrent decisions one counts, and the others get a Conflict.
func TestDecisions_Concurrent(t *testing.T) {
	w := newWorld(t)
	w.ask()
	var all sync.WaitGroup
	outcomes := make([]error, 8)
	for i := range outcomes {
		all.Go(func() {
			through, name := w.Approve, "bob"
			if i%2 == 0 {
				through, name = w.Reject, "cleo"
			}
			outcomes[i] = w.say(through, name, "race")
		})
	}
	all.Wait()
	counted := 0
	for _, err := range outcomes {
		if err == nil {
			counted++
			continue
		}
		assert.True(t, apierrors.IsConflict(err), "%v", err)
	}
	assert.Equal(t, 1, counted)
	assert.Len(t, w.stored().Status.Decisions, 1)
}

func TestThePendingListAndTheStatusSubresource(t *testing.T) {
	w := newWorld(t)
	w.ask()
	listed := func(selector string) int {
		parsed, err := fields.ParseSelector(selector)
		require.NoError(t, err)
		list, err := w.Main.List(as(t, "reader", ""), &metainternalversion.ListOptions{FieldSelector: parsed})
		require.NoError(t, err)
		return len(list.(*release.ApprovalList).Items)
	}
	assert.Equal(t, 1, listed("status.decision=Pending"))
	assert.Equal(t, 0, listed("status.decision=Approved"))
	assert.Equal(t, 1, listed("spec.environment="))
	assert.Equal(t, 0, listed("spec.environment=Production"))

	change := func(decision release.ApprovalOutcome) error {
		changed := w.stored()
		changed.Status.Decision = decision
		_, _, err := w.Status.Update(as(t, controller, "status"), changed.Name, rest.DefaultUpdatedObjectInfo(changed), nil, nil,
			false, &metav1.UpdateOptions{})
		return err
	}
	err := change(release.OutcomeApproved)
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
	assert.ErrorContains(t, err, "by the subresources approve and reject only")
	require.NoError(t, change(release.OutcomeVoided))
	err = change(release.OutcomePending)
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
	assert.ErrorContains(t, err, "Voided is final")
	assert.Equal(t, 0, listed("status.decision=Pending"))

	changed := w.stored()
	changed.Spec.RequestedBy = "bob"
	_, _, err = w.Main.Update(as(t, controller, ""), changed.Name, rest.DefaultUpdatedObjectInfo(changed), nil, nil,
		false, &metav1.UpdateOptions{})
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
	assert.ErrorContains(t, err, "spec.requestedBy")
}

func TestTable(t *testing.T) {
	w := newWorld(t)
	table, err := w.Main.ConvertToTable(t.Context(), w.ask(), nil)
	require.NoError(t, err)
	assert.Equal(t, []any{"crdschema-uid-of-00000-breakingcrdchange", "BreakingCRDChange", "CRDSchema/new", "<none>", "0/1", "Pending", "ann",
		"60m", "nobody needs more"}, table.Rows[0].Cells[:9])
}
