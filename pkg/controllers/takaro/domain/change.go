// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// change updates the owned domain in Takaro to match the spec.
func (r *reconciler) change(ctx context.Context, a *attempt, id string) error {
	before := a.seen[id]
	update, fields := driftOf(a.domain, before)
	if a.unsettled = r.unsettled(a, before); a.unsettled != nil && update.ExternalReference != nil {
		update.ExternalReference = nil
		fields = slices.DeleteFunc(fields, func(field string) bool { return field == fieldReference })
	}
	if len(fields) == 0 {
		return nil
	}
	if update.ExternalReference != nil {
		if err := r.confirm(ctx, a, id); err != nil {
			return err
		}
	}
	err := r.update(ctx, a, id, update)
	if takaro.IsConflict(err) && update.ExternalReference != nil {
		return taken(a, "Another Takaro domain")
	}
	if err != nil {
		return err
	}
	// Applying a new spec emits no event, and neither does setting the user-specified reference
	// after the create. Correcting a change by another client does.
	isNew := update.ExternalReference != nil && typed(a.domain) && ptr.Deref(before.ExternalReference, "") == a.want().Key
	if a.domain.Status.ObservedGeneration == a.domain.Generation && !isNew {
		r.Note(a.domain, eventDriftCorrected, "Takaro domain %s differed in %s and was corrected", id, strings.Join(fields, ", "))
	}
	return nil
}

// unsettled returns why the create key must remain in a domain for now: an earlier create may still
// take effect. Takaro rejects that create as long as the key is in use, and would create a second
// domain afterwards.
func (r *reconciler) unsettled(a *attempt, record *takaro.Domain) *base.Blocked {
	known, owned := held(a.domain)
	if !owned || !typed(a.domain) || ptr.Deref(record.ExternalReference, "") != known.Key || r.settled.has(a.domain.UID, record.ID) {
		return nil
	}
	left := ownership.CreateWindow - r.Clock.Since(known.Since.Time)
	if left <= 0 {
		return nil
	}
	return synced(v1alpha1.ReasonCreateUnclear, fmt.Sprintf("Takaro domain %s can be used. Its externalReference becomes %q as soon as an "+
		"earlier, interrupted create can no longer take effect, which is at most %s after the create.",
		record.ID, a.domain.Spec.ExternalReferenceID, ownership.CreateWindow), left)
}

// confirm reads a domain before its reference is changed. The decision may be based on an older
// list, and another client may have changed the reference to claim the domain since.
func (r *reconciler) confirm(ctx context.Context, a *attempt, id string) error {
	before := a.seen[id]
	now, err := a.Client.GetDomain(ctx, id)
	if err != nil && !takaro.IsNotFound(err) {
		return r.judge(a, "reading the domain in Takaro", err)
	}
	if err != nil {
		return r.wentAway(a, id, err)
	}
	r.observer.put(a.Key, now)
	if ptr.Deref(now.ExternalReference, "") != ptr.Deref(before.ExternalReference, "") {
		return classify("changing the reference", base.ErrOutdated)
	}
	return nil
}

// update sends an update. A conflict is returned unchanged.
func (r *reconciler) update(ctx context.Context, a *attempt, id string, update takaro.DomainUpdate) error {
	changed, err := a.Client.UpdateDomain(ctx, id, update)
	switch {
	case takaro.IsConflict(err):
		return err
	case takaro.IsNotFound(err):
		return r.wentAway(a, id, err)
	case err != nil:
		return r.judge(a, "updating the domain in Takaro", err)
	}
	r.observer.put(a.Key, changed)
	a.saw(changed)
	return nil
}

func (r *reconciler) wentAway(a *attempt, id string, err error) error {
	r.observer.remove(a.Key, id)
	return failing(err, fmt.Sprintf("Takaro domain %s was deleted while it was being updated. It is searched for again.", id))
}

// taken returns the problem that another domain has the reference.
func taken(a *attempt, which string) *base.Blocked {
	return synced(v1alpha1.ReasonExternalReferenceTaken, fmt.Sprintf("%s carries externalReference %q and was not created by this object. "+
		"It is not changed. To adopt it, set spec.adopt: true together with spec.deletionPolicy: Retain (requires own credentials or the RBAC "+
		"verb adopt); otherwise create a new object with another spec.externalReferenceId.", which, a.domain.Spec.ExternalReferenceID),
		problem.ForeignWait)
}
