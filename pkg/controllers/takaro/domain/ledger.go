// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// recordKind is the kind of the records of domains in the ledger.
const recordKind = "Domain"

// ledgerOf returns the records of a Domain.
func ledgerOf(domain *v1alpha1.Domain) ownership.Ledger {
	if domain.Status.Ownership == nil {
		return nil
	}
	return domain.Status.Ownership.Records
}

// current returns the record of the domain that the object owns or is about to create.
func current(domain *v1alpha1.Domain) (ownership.Record, bool) {
	ledger := ledgerOf(domain)
	return ledger.Current(ownership.Slot{Kind: recordKind, Key: ledger.Key(recordKind, "")})
}

// held returns the record of the domain that the object owns.
func held(domain *v1alpha1.Domain) (ownership.Record, bool) {
	record, found := current(domain)
	return record, found && record.State == ownership.Held
}

// store writes the draft of the status, including the ledger, before a request is sent that the
// ledger must prove.
func (r *reconciler) store(ctx context.Context, a *attempt) error {
	a.project()
	begin(a.domain)
	if err := r.Client.Status().Update(ctx, a.domain); err != nil {
		return classify("storing the status", err)
	}
	a.ledger() // the response replaced the draft
	return nil
}

// ledger returns the ownership in the draft of the status.
func (a *attempt) ledger() *ownership.Status {
	if a.domain.Status.Ownership == nil {
		a.domain.Status.Ownership = &ownership.Status{}
	}
	return a.domain.Status.Ownership
}

// project sets status.domainId and status.externalReferenceId from the ledger and from what was
// found. They are for users only, and no decision depends on them: a status can be copied, restored
// or edited.
func (a *attempt) project() {
	status := &a.domain.Status
	if status.Ownership == nil {
		return // the status of an earlier release is still to be imported
	}
	record, found := current(a.domain)
	seen := a.seen[record.ID]
	switch {
	case !found:
		status.DomainID, status.ExternalReferenceID = "", ""
	case record.State == ownership.Intended:
		status.DomainID, status.ExternalReferenceID = "", record.Key
	case seen != nil && seen.ExternalReference != nil:
		status.DomainID, status.ExternalReferenceID = record.ID, *seen.ExternalReference
	case status.DomainID != record.ID:
		status.DomainID, status.ExternalReferenceID = record.ID, wantedReference(a.domain, record.Key)
	}
}
