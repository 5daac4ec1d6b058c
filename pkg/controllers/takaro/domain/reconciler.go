// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/takaro"
)

// Finalizer holds a Domain until its Takaro side is dealt with.
const Finalizer = "takaro.roadstead.dev/domain"

type reconciler struct {
	client       client.Client // reads from the cache
	live         client.Reader
	secrets      *secrets.Owned
	protector    *secrets.Protector
	endpoints    *endpoint.Resolver
	pool         *takaro.Pool
	observer     *observer
	remains      *remains
	recorder     events.EventRecorder
	installation string
}

// attempt is one reconciliation of one Domain.
type attempt struct {
	// domain is a copy whose status is the draft of the next one.
	domain *v1alpha1.Domain
	// client, key and from (where its secrets are) are set once the endpoint is known.
	client *takaro.Client
	key    endpoint.Key
	from   endpoint.Sources
	// reference is the domain's externalReference in Takaro.
	reference string
}

// Reconcile brings one Domain a step closer to what it should be, normally all the way.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	stored := &v1alpha1.Domain{}
	if err := r.client.Get(ctx, request.NamespacedName, stored); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	a := &attempt{domain: stored.DeepCopy()}
	a.reference = referenceOf(a.domain, r.installation)
	if stored.DeletionTimestamp != nil {
		return r.finalize(ctx, a, stored)
	}
	if controllerutil.AddFinalizer(a.domain, Finalizer) {
		if err := r.client.Update(ctx, a.domain); err != nil {
			return reconcile.Result{}, err
		}
		stored = a.domain.DeepCopy()
	}
	blocked := r.ensure(ctx, a)
	return r.report(ctx, a, stored, blocked.naming(a.from))
}

// ensure does the work of a Domain that is wanted, and returns what stopped it.
func (r *reconciler) ensure(ctx context.Context, a *attempt) *problem {
	if blocked := r.connect(ctx, a); blocked != nil {
		return blocked
	}
	record, blocked := r.obtain(ctx, a)
	if blocked != nil {
		return blocked
	}
	if record, blocked = r.correct(ctx, a, record); blocked != nil {
		return blocked
	}
	a.domain.Status.DomainID = record.ID
	a.domain.Status.ExternalReferenceID = a.reference
	a.domain.Status.ObservedLimits = observedLimits(record)
	return r.publish(ctx, a, record)
}

// connect finds the endpoint, protects the Secrets that its use depends on, and sets the attempt's client.
func (r *reconciler) connect(ctx context.Context, a *attempt) *problem {
	for _, name := range secretNames(a.domain) {
		if err := r.protector.Hold(ctx, client.ObjectKey{Namespace: a.domain.Namespace, Name: name}); err != nil {
			return classify("protecting Secret "+name, err)
		}
	}
	resolved, err := r.endpoints.Resolve(ctx, a.domain)
	if err != nil {
		return classify("looking for the endpoint's credentials", err)
	}
	a.key, a.from = endpoint.KeyOf(resolved.Endpoint), resolved.From
	if a.client, err = r.pool.Client(resolved.Endpoint); err != nil {
		return unusable(err, a.from)
	}
	if err := r.observer.refusal(a.key); err != nil {
		return classify("connecting", err)
	}
	return nil
}

// judge is classify for errors of the attempt's Takaro client. A refused token is remembered: it is not tried again for
// every Domain.
func (r *reconciler) judge(a *attempt, doing string, err error) *problem {
	if takaro.IsUnauthorized(err) {
		r.observer.refuse(a.key, err)
	}
	return classify(doing, err)
}

// correct puts back in Takaro what differs from the spec.
func (r *reconciler) correct(ctx context.Context, a *attempt, record *takaro.Domain) (*takaro.Domain, *problem) {
	update, fields := drift(&a.domain.Spec, a.reference, record)
	if len(fields) == 0 {
		return record, nil
	}
	changed, err := a.client.UpdateDomain(ctx, record.ID, update)
	if takaro.IsNotFound(err) {
		r.observer.remove(a.key, record.ID)
		return nil, &problem{condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonRequestFailed, retry: err,
			message: fmt.Sprintf("Takaro domain %s went away while it was being updated; looking again", record.ID)}
	}
	if err != nil {
		return nil, r.judge(a, "updating the domain in Takaro", err)
	}
	r.observer.put(a.key, changed)
	// A new spec is carried out silently; what others changed is worth an event.
	if a.domain.Status.ObservedGeneration == a.domain.Generation {
		r.note(a, eventDriftCorrected, "Takaro domain %s differed in %s and was put back", record.ID, join(fields))
	}
	return changed, nil
}
