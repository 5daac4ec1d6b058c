// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"errors"

	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// upgrade creates the ledger of an object that an earlier release stored. The recorded id is
// accepted only if a domain with the id has this object's reference. A generated reference proves
// that Roadstead created the domain, and so does a root Secret, which is only written by a create.
// A domain without such proof is never deleted.
func (r *reconciler) upgrade(ctx context.Context, a *attempt) error {
	status := &a.domain.Status
	if status.Ownership != nil {
		return nil
	}
	id := status.DomainID
	if id == "" {
		status.Ownership = &ownership.Status{}
		return nil
	}
	a.generated = legacyKey(a.domain, a.generated)
	want := a.want()
	if !a.State.Verified {
		want.Delete = false // without a ledger, a deletion would end here
		return &outside.StoppedError{Decision: ownership.Decide(want, ownership.Observed{}, nil, a.State.Endpoint, r.Clock.Now())}
	}
	var object *ownership.Object
	record, err := a.Client.GetDomain(ctx, id)
	switch {
	case err == nil:
		found := a.saw(record)
		object = &found
	case !takaro.IsNotFound(err):
		return r.judge(a, "reading the domain in Takaro", err)
	}
	proved, err := r.rootStored(ctx, a.domain, id)
	var foreign *secrets.NameTakenError
	if err != nil && !errors.As(err, &foreign) {
		return classify("reading the root credentials", err)
	}
	legacy := ownership.Legacy{ID: id, Proved: proved}
	status.Ownership = &ownership.Status{Records: ownership.Import(nil, want, legacy, object, r.Clock.Now())}
	return nil
}
