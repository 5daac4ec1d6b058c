// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Finalizer blocks the deletion of a Domain until the deletion policy was applied to its Takaro
// domain.
const Finalizer = "takaro.roadstead.dev/domain"

type reconciler struct {
	parts.Parts[*v1alpha1.Domain]
	observer *observer
	waiting  waiting
	settled  settled
}

// attempt is one reconciliation of one Domain.
type attempt struct {
	// domain is a copy whose status is the draft of the next status.
	domain *v1alpha1.Domain
	parts.Connection
	// generated is the create key of a domain that is not recorded.
	generated string
	// seen contains Takaro's last response for each domain, by id.
	seen map[string]*takaro.Domain
	// create releases the reserved create slot. It is nil if none is reserved.
	create func()
	// retried is set if a create was sent before the one of this attempt. unsettled is why the
	// reference must not be changed yet.
	retried   bool
	unsettled *base.Blocked
	// left contains the domains that remain in Takaro and could not be marked.
	left []string
}

// Reconcile brings one Domain closer to its spec, usually completely.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	return base.WithoutFailure(r.reconcile(ctx, request))
}

func (r *reconciler) reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	turn := r.Slots.Begin(request)
	defer turn.End()
	stored := &v1alpha1.Domain{}
	if err := r.Client.Get(ctx, request.NamespacedName, stored); err != nil {
		if apierrors.IsNotFound(err) {
			r.Keeper.Forget(request.NamespacedName)
			r.Refusals.Forget(request.NamespacedName)
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	a := &attempt{domain: stored.DeepCopy(), Connection: parts.Connection{Turn: turn}, seen: map[string]*takaro.Domain{}}
	defer a.release()
	if stored.DeletionTimestamp != nil {
		return r.finalize(ctx, a, stored)
	}
	if controllerutil.AddFinalizer(a.domain, Finalizer) {
		if err := r.Client.Update(ctx, a.domain); err != nil {
			return reconcile.Result{}, err
		}
		stored = a.domain.DeepCopy()
	}
	work, done := base.Work(ctx)
	defer done()
	blocked := r.ensure(work, a)
	return r.report(ctx, a, stored, problem.Naming(blocked, a.Resolved.From))
}

// ensure reconciles a Domain that is not being deleted, and returns what stopped it.
func (r *reconciler) ensure(ctx context.Context, a *attempt) *base.Blocked {
	if blocked := r.connect(ctx, a); blocked != nil {
		return blocked
	}
	if err := r.upgrade(ctx, a); err != nil {
		return a.stopped(err)
	}
	if _, owned := held(a.domain); !owned && !a.domain.Spec.Adopt {
		if err := r.reserve(ctx, a); err != nil {
			return a.stopped(err)
		}
	}
	id, err := outside.Ensure(ctx, r.object(a))
	if err != nil {
		return a.stopped(err)
	}
	a.release()
	record := a.seen[id]
	a.domain.Status.ObservedLimits = observedLimits(record)
	if blocked := r.publish(ctx, a, record); blocked != nil {
		return blocked
	}
	return a.unsettled
}

// stopped converts the error of a step.
func (a *attempt) stopped(err error) *base.Blocked {
	var stopped *outside.StoppedError
	if !errors.As(err, &stopped) {
		return classify("reconciling the domain", err)
	}
	decision := stopped.Decision
	if decision.Reason == ownership.ReasonTaken {
		return taken(a, "Takaro domain "+decision.ID)
	}
	blocked := classify("", err)
	switch {
	case decision.Reason == ownership.ReasonVanished && a.State.VanishedHold != "":
		blocked.RequeueAfter = heldWait
	case decision.Reason == ownership.ReasonCreateUnclear:
		blocked.RequeueAfter = min(blocked.RequeueAfter, unclearWait) // the create may take effect at any time
	}
	return blocked
}

// connect resolves the endpoint and sets the attempt's client. A token that was rejected recently
// is not tried again.
func (r *reconciler) connect(ctx context.Context, a *attempt) *base.Blocked {
	refusal := func() error { return r.observer.refusal(a.Key) }
	if blocked := r.Connect(ctx, &a.Connection, a.domain, secretNames(a.domain), refusal); blocked != nil {
		return placed(blocked)
	}
	a.generated = generatedKey(a.domain, a.State.Installation)
	return nil
}

// judge is like classify, for errors of the attempt's Takaro client. It remembers a rejected token,
// which is then not tried again for every Domain.
func (r *reconciler) judge(a *attempt, doing string, err error) *base.Blocked {
	if takaro.IsUnauthorized(err) {
		r.observer.refuse(a.Key, err)
	}
	return classify(doing, err)
}
