// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"strings"

	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// change updates the user with the id to match the spec. The roles are updated last: only they may
// have to wait, while the login already works.
func (r *reconciler) change(ctx context.Context, a *attempt, id string) *base.Blocked {
	list, err := r.roster.list(ctx, a.place, a.Client, snapshotLife)
	if err != nil {
		return problem.Classify("listing the users in Takaro", err)
	}
	record, listed := r.roster.byID(list, id)
	if !listed {
		return outdated() // another list was read since the decision
	}
	a.user.Status.UserID = id
	if blocked := r.checkPassword(ctx, a, id); blocked != nil {
		return blocked
	}
	if blocked := r.publish(ctx, a); blocked != nil {
		return blocked
	}
	changed, blocked := r.correct(ctx, a, &record)
	if blocked != nil {
		return blocked
	}
	return r.assignRoles(ctx, a, changed)
}

// correct updates the fields in Takaro that differ from the spec.
func (r *reconciler) correct(ctx context.Context, a *attempt, record *takaro.User) (*takaro.User, *base.Blocked) {
	update, fields := drift(&a.user.Spec, record)
	if len(fields) == 0 {
		return record, nil
	}
	changed, err := a.Client.UpdateUser(ctx, a.place.DomainID, record.ID, update)
	if err != nil {
		r.roster.forget(a.place) // Takaro responds with 500 for a user that no longer exists
		return nil, classify("updating the user in Takaro", err)
	}
	r.roster.put(a.place, changed)
	// Applying a new spec emits no event. Correcting a change by another client does.
	if a.ready {
		r.Note(a.user, eventDriftCorrected,
			"Takaro user %s differed from the spec in %s and was corrected", record.ID, strings.Join(fields, ", "))
	}
	return changed, nil
}

// notify emits the event of a decision that was carried out.
func (r *reconciler) notify(a *attempt, d ownership.Decision) {
	switch d.Action {
	case ownership.Create:
		usersCreated.Inc()
		r.Note(a.user, eventCreated, "Takaro user %s was created", d.ID)
	case ownership.Adopt:
		if d.Row == 11 {
			r.Note(a.user, eventAdopted, "Takaro user %s was adopted, as spec.adopt says", d.ID)
			return
		}
		r.Note(a.user, eventFound, "Takaro user %s was created for this object earlier and is used", d.ID)
	case ownership.Regain:
		r.Note(a.user, eventFound, "Takaro user %s of this object exists again and is used", d.ID)
	case ownership.Lose:
		r.Warn(a.user, eventVanished, "Takaro user %s no longer exists, though this object was not deleted. It is created again.", d.ID)
	case ownership.Delete:
		usersDeleted.Inc()
		r.Note(a.user, eventDeleted, "Takaro user %s was deleted from its domain; its identity and password stay in Takaro", d.ID)
	case ownership.Leave:
		r.Note(a.user, eventLeftInTakaro, "%s", d.Message)
	case ownership.Done:
		if d.Row == 1 && d.ID != "" {
			r.Note(a.user, eventLeftInTakaro, "Takaro user %s was left as it is (deletionPolicy Retain)", d.ID)
		}
	}
}
