// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"fmt"
	"strings"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// outsideOf returns the Takaro user of the attempt.
func (r *reconciler) outsideOf(a *attempt) outside.Object {
	return outside.Object{
		Want: wantOf(a), Endpoint: a.State.Endpoint, Now: r.Clock.Now,
		Ledger: func() *ownership.Status {
			if a.user.Status.Ownership == nil {
				a.user.Status.Ownership = &ownership.Status{}
			}
			return a.user.Status.Ownership
		},
		Store:   func(ctx context.Context) error { return r.storeLedger(ctx, a) },
		Observe: func(ctx context.Context, live bool) (ownership.Observed, error) { return r.observe(ctx, a, live) },
		// The create key in the name proves what an interrupted create left behind.
		Rename: true,
		Create: func(ctx context.Context, key string) (string, error) { return r.create(ctx, a, key) },
		Change: func(ctx context.Context, id string) error {
			if blocked := r.change(ctx, a, id); blocked != nil {
				return blocked
			}
			return nil
		},
		Delete: func(ctx context.Context, id string) error {
			if err := a.Client.DeleteUser(ctx, a.place.DomainID, id); err != nil && !takaro.IsNotFound(err) {
				return err
			}
			r.roster.remove(a.place, id)
			return nil
		},
		Notify: func(d ownership.Decision) { r.notify(a, d) },
	}
}

// obtain ensures that the user exists as specified.
func (r *reconciler) obtain(ctx context.Context, a *attempt) *base.Blocked {
	_, err := outside.Ensure(ctx, r.outsideOf(a))
	if err == nil {
		return nil
	}
	blocked := problem.Classify("bringing the user in Takaro to the spec", err)
	if blocked.Reason == ownership.ReasonTaken {
		return r.taken(a)
	}
	return blocked
}

// storeLedger writes the draft of the status before Takaro is changed.
func (r *reconciler) storeLedger(ctx context.Context, a *attempt) error {
	if a.user.DeletionTimestamp == nil {
		reconciling(a.user, "The user is being created or updated in Takaro.")
	}
	return r.Client.Status().Update(ctx, a.user)
}

// create creates the user with the key as its name.
func (r *reconciler) create(ctx context.Context, a *attempt, key string) (string, error) {
	spec := &a.user.Spec
	created, err := a.Client.CreateUser(ctx, a.place.DomainID, takaro.UserInput{
		Name: key, Email: spec.Email, Password: a.password, IsDashboardUser: dashboard(spec),
	})
	if err != nil {
		return "", problem.Refused(err, classify("creating the user in Takaro", err))
	}
	switch r.roster.put(a.place, created); {
	case isRoot(created) || !strings.EqualFold(created.Email, spec.Email):
		return "", &outside.RefusedError{Err: reserved()}
	case created.Name != key:
		return "", &outside.RefusedError{Err: r.taken(a)}
	}
	// The roles that the first assignment may change are stored together with the id.
	a.user.Status.Roles = union(a.user.Status.Roles, spec.Roles)
	return created.ID, nil
}

func reserved() *base.Blocked {
	return &base.Blocked{Reason: v1alpha1.ReasonEmailReserved, Message: "spec.email is the address of the domain's root user, " +
		"which Roadstead uses itself and never changes. Create another User with another address."}
}

func (r *reconciler) taken(a *attempt) *base.Blocked {
	return &base.Blocked{Reason: v1alpha1.ReasonEmailTaken, RequeueAfter: problem.ForeignWait, Message: fmt.Sprintf(
		"The Takaro domain of Domain %q has a user with the e-mail address of this object, which Roadstead did not create for it. "+
			"Nothing is changed there. Delete that user in Takaro, or, to take it over, run: "+
			"kubectl patch users.%s %s -n %s --type=merge -p '{\"spec\":{\"adopt\":true}}'",
		a.user.Spec.DomainRef.Name, v1alpha1.GroupName, a.user.Name, a.user.Namespace)}
}

// classify is like problem.Classify, for calls that can exceed a domain's limit of dashboard users.
func classify(doing string, err error) *base.Blocked {
	found := problem.Classify(doing, err)
	if found.Reason == v1alpha1.ReasonRequestRefused && strings.Contains(found.Message, "Max users (") {
		return &base.Blocked{Reason: v1alpha1.ReasonMaxUsersReached, RequeueAfter: problem.ForeignWait, Message: fmt.Sprintf(
			"%s: raise spec.domainLimits.maxUsers of the Domain, or delete dashboard users, or set spec.dashboardUser: false",
			strings.TrimSuffix(found.Message, "; change the spec"))}
	}
	return found
}
