// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"slices"

	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// lostWithDomain reports whether the domain that the user was in is recorded as lost, and no other
// one is held.
func lostWithDomain(a *attempt) bool {
	if domainref.DomainID(a.domain) != "" || a.domain.Status.Ownership == nil {
		return false
	}
	record, current := ledgerOf(a.user).Current(slotOf(a.user, ""))
	return !current || slices.ContainsFunc(a.domain.Status.Ownership.Records, func(r ownership.Record) bool {
		return r.State == ownership.Lost && r.ID == record.Parent
	})
}

// goneWithDomain reports whether Takaro no longer has the domain, and so no user in it. Takaro
// issues no token for such a domain, and answers as if its identity service failed. The domain
// itself can be read without one.
func (r *reconciler) goneWithDomain(ctx context.Context, a *attempt) bool {
	if a.State.Confirm(ctx) != nil {
		return false
	}
	_, err := a.Client.GetDomain(ctx, a.place.DomainID)
	return takaro.IsNotFound(err)
}
