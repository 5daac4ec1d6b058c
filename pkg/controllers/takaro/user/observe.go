// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// absenceLife is the maximum age of a list that proves that a user is missing. It is short enough
// to be current, and long enough for many new Users to share a list.
const absenceLife = 2 * time.Second

// observe reads everything that the decision about the user depends on. If live is set, all of it
// is read after the call.
func (r *reconciler) observe(ctx context.Context, a *attempt, live bool) (ownership.Observed, error) {
	if live {
		if err := a.State.Confirm(ctx); err != nil {
			return ownership.Observed{}, problem.Classify("connecting", err)
		}
		if blocked := r.unchanged(ctx, a); blocked != nil {
			return ownership.Observed{}, blocked
		}
	}
	record, current := ledgerOf(a.user).Current(slotOf(a.user, a.place.DomainID))
	list, err := r.listFor(ctx, a, record, live)
	if err != nil {
		return ownership.Observed{}, problem.Classify("listing the users in Takaro", err)
	}
	if found, listed := r.roster.byEmail(list, a.user.Spec.Email); listed && isRoot(&found) && a.user.DeletionTimestamp == nil {
		return ownership.Observed{}, reserved()
	}
	rows, _ := r.roster.size(list)
	observed := ownership.Observed{List: &ownership.List{Rows: rows, Total: rows, Objects: r.objects(a, list)}, Live: live}
	if !current || record.State != ownership.Held {
		return observed, nil
	}
	if _, listed := r.roster.byID(list, record.ID); listed {
		r.gone.Present(a.user.UID)
		return observed, nil
	}
	read, err := r.read(ctx, a, record.ID)
	if err != nil {
		return ownership.Observed{}, problem.Classify("reading the user in Takaro", err)
	}
	observed.Reads, observed.GoneSince = []ownership.Read{read}, r.gone.Missing(a.user.UID, list.Taken)
	return observed, nil
}

// listFor returns a list that is recent enough for the record. An older list proves presence,
// absence needs a recent list, and absence after a create with an unknown result needs a list that
// is started now.
func (r *reconciler) listFor(ctx context.Context, a *attempt, record ownership.Record, live bool) (*snapshot, error) {
	switch {
	case live || record.State == ownership.Intended:
		return r.roster.list(ctx, a.place, a.Client, 0)
	case record.State == ownership.Held:
		list, err := r.roster.list(ctx, a.place, a.Client, snapshotLife)
		if err != nil {
			return nil, err
		}
		if _, listed := r.roster.byID(list, record.ID); listed {
			return list, nil
		}
	}
	return r.roster.list(ctx, a.place, a.Client, absenceLife)
}

// objects returns the users of the list that are in the ledger or have the e-mail address. A user
// with the create key has that address too. The root user is never included.
func (r *reconciler) objects(a *attempt, list *snapshot) []ownership.Object {
	var objects []ownership.Object
	listed := map[string]bool{}
	add := func(user takaro.User, found bool) {
		if found && !listed[user.ID] && !isRoot(&user) {
			listed[user.ID] = true
			objects = append(objects, objectOf(&user))
		}
	}
	for _, record := range ledgerOf(a.user) {
		add(r.roster.byID(list, record.ID))
	}
	add(r.roster.byEmail(list, a.user.Spec.Email))
	return objects
}

func objectOf(user *takaro.User) ownership.Object {
	return ownership.Object{ID: user.ID, Reference: user.Name, Name: strings.ToLower(user.Email)}
}

func (r *reconciler) read(ctx context.Context, a *attempt, id string) (ownership.Read, error) {
	found, err := a.Client.GetUser(ctx, a.place.DomainID, id)
	if takaro.IsNotFound(err) {
		return ownership.Read{ID: id}, nil
	}
	if err != nil {
		return ownership.Read{}, err
	}
	object := objectOf(found)
	return ownership.Read{ID: id, Object: &object}, nil
}

// unchanged stops an attempt whose object differs from the stored one.
func (r *reconciler) unchanged(ctx context.Context, a *attempt) *base.Blocked {
	current := &v1alpha1.User{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(a.user), current); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return outdated()
		}
		return problem.Classify("reading the object again", err)
	}
	if current.UID != a.user.UID || current.ResourceVersion != a.user.ResourceVersion {
		return outdated()
	}
	return nil
}

func outdated() *base.Blocked {
	return problem.Classify("reading the object again", base.ErrOutdated)
}
