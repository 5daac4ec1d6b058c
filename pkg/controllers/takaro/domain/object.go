// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// want returns the state in Takaro that the spec specifies.
func (a *attempt) want() ownership.Want {
	domain := a.domain
	key := ledgerOf(domain).Key(recordKind, a.generated)
	return ownership.Want{
		Slot:     ownership.Slot{Kind: recordKind, Key: key},
		Delete:   domain.DeletionTimestamp != nil,
		Policy:   ownership.Policy(domain.Spec.DeletionPolicy),
		Adopt:    domain.Spec.Adopt,
		Name:     domain.Spec.ExternalReferenceID,
		Retained: takaroendpoint.RetainedReference(key),
		LetGo:    letGo(domain),
	}
}

// letGo returns the command that ends a deletion without a request to Takaro.
func letGo(domain *v1alpha1.Domain) string {
	return fmt.Sprintf("kubectl patch domains.%s %s -n %s --type=merge -p '{\"spec\":{\"deletionPolicy\":\"Retain\"}}'",
		v1alpha1.GroupName, domain.Name, domain.Namespace)
}

// object returns the Takaro domain of an attempt.
func (r *reconciler) object(a *attempt) outside.Object {
	return outside.Object{
		Want:     a.want(),
		Endpoint: a.State.Endpoint,
		Ledger:   a.ledger,
		Store:    func(ctx context.Context) error { return r.store(ctx, a) },
		Observe:  func(ctx context.Context, live bool) (ownership.Observed, error) { return r.observe(ctx, a, live) },
		Prepare:  func(ctx context.Context) (func(), error) { return r.prepare(ctx, a) },
		Create:   func(ctx context.Context, key string) (string, error) { return r.create(ctx, a, key) },
		Rename:   typed(a.domain),
		Change:   func(ctx context.Context, id string) error { return r.change(ctx, a, id) },
		Delete:   func(ctx context.Context, id string) error { return r.deleteDomain(ctx, a, id) },
		Disable:  func(ctx context.Context, id string) error { return r.disable(ctx, a, id) },
		Mark:     func(ctx context.Context, id string) error { return r.mark(ctx, a, id) },
		Notify:   func(d ownership.Decision) { r.notify(a, d) },
		Now:      r.Clock.Now,
	}
}

// deleteDomain deletes a domain permanently.
func (r *reconciler) deleteDomain(ctx context.Context, a *attempt, id string) error {
	if err := a.Client.DeleteDomain(ctx, id, true); err != nil && !takaro.IsNotFound(err) {
		return r.judge(a, "deleting the domain in Takaro", err)
	}
	r.observer.remove(a.Key, id)
	domainsDeleted.Inc()
	return nil
}

// disable disables a domain, which is Takaro's soft delete.
func (r *reconciler) disable(ctx context.Context, a *attempt, id string) error {
	if err := a.Client.DeleteDomain(ctx, id, false); err != nil && !takaro.IsNotFound(err) {
		return r.judge(a, "disabling the domain in Takaro", err)
	}
	r.observer.remove(a.Key, id)
	return nil
}

// mark sets the reference of a domain that outlives its object, so that another object can adopt
// it.
func (r *reconciler) mark(ctx context.Context, a *attempt, id string) error {
	retained := a.want().Retained
	if err := r.confirm(ctx, a, id); err != nil {
		return err
	}
	return r.update(ctx, a, id, takaro.DomainUpdate{ExternalReference: &retained})
}

// notify emits an event for a decision that was carried out, and updates metrics.
func (r *reconciler) notify(a *attempt, d ownership.Decision) {
	switch d.Action {
	case ownership.Create:
		r.Note(a.domain, eventCreated, "Takaro domain %s was created", d.ID)
	case ownership.Adopt:
		r.notifyAdopted(a, d)
	case ownership.Regain:
		r.Note(a.domain, eventRegained, "Takaro domain %s exists again and is used again", d.ID)
	case ownership.Lose:
		counts.Lost.WithLabelValues("Domain", scopeOf(a.domain)).Inc()
		r.Warn(a.domain, eventVanished, "Takaro domain %s no longer exists, although this object was not deleted; a new domain is created", d.ID)
	case ownership.Remove:
		r.Warn(a.domain, eventRemainsRemoved,
			"Takaro domain %s was left by an interrupted create without its root password; it was deleted", d.ID)
	case ownership.Delete:
		r.Note(a.domain, eventDeleted, "Takaro domain %s was deleted", d.ID)
	case ownership.Disable:
		r.Note(a.domain, eventDisabled, "Takaro domain %s was disabled (deletionPolicy Disable)", d.ID)
	case ownership.Leave:
		r.Warn(a.domain, eventLeftInTakaro, "%s", d.Message)
	}
}

// scopeOf returns, as a metric label, whose credentials a Domain uses.
func scopeOf(domain *v1alpha1.Domain) string {
	if domain.Spec.CredentialsSecretRef != nil {
		return hold.ScopeTenant
	}
	return hold.ScopeInstallation
}

func (r *reconciler) notifyAdopted(a *attempt, d ownership.Decision) {
	switch d.Found {
	case ownership.FoundName:
		r.Note(a.domain, eventAdopted, "Takaro domain %s with externalReference %q was adopted", d.ID, a.domain.Spec.ExternalReferenceID)
	case ownership.FoundKey:
		r.Note(a.domain, eventRegained, "Takaro domain %s carries the create key of this object and is used", d.ID)
	}
}
