// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/takaro"
)

// obtain returns the Takaro domain of the attempt: found, adopted, or made.
func (r *reconciler) obtain(ctx context.Context, a *attempt) (*takaro.Domain, *problem) {
	record, found, blocked := r.search(ctx, a)
	if blocked != nil {
		return nil, blocked
	}
	switch decide(found) {
	case keep:
		return record, nil
	case adopt:
		a.domain.Status.ExternalReferenceID = a.reference
		r.note(a, eventAdopted, "Takaro domain %s with externalReference %q is kept by this object from now on", record.ID, a.reference)
		return record, nil
	case create:
		return r.create(ctx, a, found.known)
	case remake:
		return r.remake(ctx, a, record)
	case incomplete:
		return nil, synced(v1alpha1.ReasonDomainIncomplete, fmt.Sprintf(
			"Takaro domain %s was made without its root user, and its externalReference was typed, so Roadstead does not remove it: delete it in Takaro, and it is made again", record.ID))
	case await:
		return nil, synced(v1alpha1.ReasonExternalReferenceNotFound, fmt.Sprintf(
			"no Takaro domain carries externalReference %q; waiting for one to adopt (with spec.adopt: false one is made)", a.reference))
	default:
		return nil, taken(a, "Takaro domain "+record.ID)
	}
}

// taken says that a stranger's domain carries the reference.
func taken(a *attempt, what string) *problem {
	return synced(v1alpha1.ReasonExternalReferenceTaken, fmt.Sprintf(
		"%s carries externalReference %q and was not made by this object; nothing is touched: take it over by spec.adopt: true together with spec.deletionPolicy: Retain (needs own credentials or the RBAC verb adopt), or choose another spec.externalReferenceId in a new object", what, a.reference))
}

// synced is a problem that only others can end: it is looked at again, rarely.
func synced(reason, message string) *problem {
	return &problem{condition: v1alpha1.ConditionSynced, reason: reason, message: message, wait: foreignWait}
}

// search looks for the domain: by the known id, and only without it by the reference.
func (r *reconciler) search(ctx context.Context, a *attempt) (*takaro.Domain, findings, *problem) {
	status := &a.domain.Status
	found := findings{
		typed:    typed(a.domain),
		adopting: a.domain.Spec.Adopt,
		known:    status.DomainID != "",
		recorded: status.ExternalReferenceID == a.reference,
	}
	if found.known {
		record, err := r.observer.lookup(ctx, a.key, a.client, status.DomainID)
		if err != nil {
			return nil, found, r.judge(a, "looking for the domain in Takaro", err)
		}
		if record != nil {
			found.foundByID = true
			return record, found, nil
		}
	}
	record, err := a.client.FindDomainByReference(ctx, a.reference)
	if err != nil {
		return nil, found, r.judge(a, "looking for the domain in Takaro", err)
	}
	if record == nil {
		return nil, found, nil
	}
	found.foundByReference = true
	if found.known {
		return record, found, nil
	}
	stored, err := r.rootStored(ctx, a.domain, record.ID)
	if err != nil {
		return nil, found, classify("looking for the root credentials", err)
	}
	found.rootStored = stored
	if found.typed && found.recorded && !found.rootStored {
		if found.hasRoot, err = a.client.HasRootUser(ctx, record.ID); err != nil {
			return nil, found, r.judge(a, "looking for the domain's root user", err)
		}
	}
	return record, found, nil
}
