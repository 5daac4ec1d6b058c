// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/takaro"
)

// absenceLife is how old a list may be by which a user is believed to be absent: new enough, and yet many new Users share
// one.
const absenceLife = 2 * time.Second

// obtain returns the Takaro user of the attempt: found or made.
func (r *reconciler) obtain(ctx context.Context, a *attempt) (*takaro.User, *problem.Problem) {
	known := a.user.Status.UserID != ""
	record, err := r.search(ctx, a)
	if err != nil {
		return nil, problem.Classify("looking for the user in Takaro", err)
	}
	switch decide(record, known) {
	case keep:
		if !known && !begun(a.user) {
			r.note(a, eventFound, "Takaro user %s has this e-mail already; it is kept by this object from now on", record.ID)
		}
		return record, nil
	case refuse:
		return nil, reserved()
	case remake:
		r.warn(a, eventVanished, "Takaro user %s is gone, though this object was not deleted; it is made again", a.user.Status.UserID)
	}
	return r.create(ctx, a)
}

func reserved() *problem.Problem {
	return &problem.Problem{Reason: v1alpha1.ReasonEmailReserved,
		Message: "spec.email is that of the domain's root user, as whom Roadstead acts; nothing is touched: make a new object with another e-mail"}
}

// search looks for the user; a list of a moment ago shows presence, absence needs a new one. After a create whose outcome is
// not known, it needs one that was begun afterwards.
func (r *reconciler) search(ctx context.Context, a *attempt) (*takaro.User, error) {
	record, err := r.roster.find(ctx, a.place, a.client, a.user.Spec.Email, snapshotLife)
	if record != nil || err != nil {
		return record, err
	}
	age := absenceLife
	if begun(a.user) {
		age = 0
	}
	return r.roster.find(ctx, a.place, a.client, a.user.Spec.Email, age)
}

// create makes the user in Takaro, after it was recorded that this is begun.
func (r *reconciler) create(ctx context.Context, a *attempt) (*takaro.User, *problem.Problem) {
	before := begun(a.user)
	if blocked := r.record(ctx, a); blocked != nil {
		return nil, blocked
	}
	spec := &a.user.Spec
	created, err := a.client.CreateUser(ctx, a.domain.Status.DomainID, takaro.UserInput{
		Name: spec.Name, Email: spec.Email, Password: a.password, IsDashboardUser: dashboard(spec),
	})
	if err != nil {
		a.answered = takaro.IsTerminal(err) || !before && !takaro.IsUnclear(err)
		return nil, classify("making the user in Takaro", err)
	}
	r.roster.put(a.place, created)
	if isRoot(created) || !strings.EqualFold(created.Email, spec.Email) {
		a.answered = true
		return nil, reserved()
	}
	usersCreated.Inc()
	r.note(a, eventCreated, "Takaro user %s was made", created.ID)
	return created, nil
}

// record writes into the status that Takaro is about to be changed, and which roles this may concern. Where it is written
// already the API server is asked, so that nothing is made for an object that changed or went away unseen.
func (r *reconciler) record(ctx context.Context, a *attempt) *problem.Problem {
	roles := union(a.user.Status.Roles, a.user.Spec.Roles)
	if begun(a.user) && len(roles) == len(a.user.Status.Roles) {
		current := &v1alpha1.User{}
		if err := r.live.Get(ctx, client.ObjectKeyFromObject(a.user), current); err != nil {
			return problem.Classify("reading the object again", err)
		}
		if current.UID != a.user.UID || current.ResourceVersion != a.user.ResourceVersion {
			return outdated()
		}
		return nil
	}
	a.user.Status.UserID = ""
	a.user.Status.Roles = roles
	begin(a.user, "the user is being made in Takaro")
	if err := r.client.Status().Update(ctx, a.user); err != nil {
		return problem.Classify("recording what is begun", err)
	}
	return nil
}

// correct puts back in Takaro what differs from the spec.
func (r *reconciler) correct(ctx context.Context, a *attempt, record *takaro.User) (*takaro.User, *problem.Problem) {
	update, fields := drift(&a.user.Spec, record)
	if len(fields) == 0 {
		return record, nil
	}
	changed, err := a.client.UpdateUser(ctx, a.domain.Status.DomainID, record.ID, update)
	if err != nil {
		r.roster.forget(a.place) // Takaro answers 500 for a user that went away
		return nil, classify("updating the user in Takaro", err)
	}
	r.roster.put(a.place, changed)
	// A new spec is carried out silently; what others changed is worth an event.
	if a.user.Status.ObservedGeneration == a.user.Generation && !begun(a.user) {
		r.note(a, eventDriftCorrected, "Takaro user %s differed in %s and was put back", record.ID, strings.Join(fields, ", "))
	}
	return changed, nil
}

// classify is problem.Classify for calls that a domain's limit of dashboard users may stop.
func classify(doing string, err error) *problem.Problem {
	found := problem.Classify(doing, err)
	if found.Reason == v1alpha1.ReasonRequestRefused && strings.Contains(found.Message, "Max users (") {
		return &problem.Problem{Reason: v1alpha1.ReasonMaxUsersReached, Wait: problem.ForeignWait, Message: fmt.Sprintf(
			"%s: raise spec.domainLimits.maxUsers of the Domain, or delete dashboard users, or set spec.dashboardUser: false", strings.TrimSuffix(found.Message, "; change the spec"))}
	}
	return found
}

func outdated() *problem.Problem {
	return problem.Classify("reading the object again", problem.ErrOutdated)
}
