// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"slices"

	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// lostWithDomain reports whether the domain of the user is recorded as lost, and no other domain is
// held.
func lostWithDomain(a *attempt) bool {
	if domainref.DomainID(a.domain) != "" || a.domain.Status.Ownership == nil {
		return false
	}
	record, current := ledgerOf(a.user).Current(slotOf(a.user, ""))
	return !current || slices.ContainsFunc(a.domain.Status.Ownership.Records, func(r ownership.Record) bool {
		return r.State == ownership.Lost && r.ID == record.Parent
	})
}

// goneWithDomain reports whether the domain, and therefore its users, no longer exist in Takaro.
// Takaro issues no token for such a domain, and its response looks like a failure of its identity
// service. Reading the domain itself needs no such token.
func (r *reconciler) goneWithDomain(ctx context.Context, a *attempt) bool {
	if a.State.Confirm(ctx) != nil {
		return false
	}
	_, err := a.Client.GetDomain(ctx, a.place.DomainID)
	return takaro.IsNotFound(err)
}
