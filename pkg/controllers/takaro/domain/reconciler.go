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

// Finalizer holds a Domain until its Takaro side is dealt with.
const Finalizer = "takaro.roadstead.dev/domain"

type reconciler struct {
	parts.Parts[*v1alpha1.Domain]
	observer *observer
	waiting  waiting
	settled  settled
}

// attempt is one reconciliation of one Domain.
type attempt struct {
	// domain is a copy whose status is the draft of the next one.
	domain *v1alpha1.Domain
	parts.Connection
	// generated is the create key of a domain of which nothing is recorded.
	generated string
	// seen is the last that Takaro returned of each domain, by id.
	seen map[string]*takaro.Domain
	// create gives back the reserved create, nil if there is none.
	create func()
	// retried reports that a create was sent before the one of this attempt; unsettled is why the reference must wait.
	retried   bool
	unsettled *base.Blocked
	// left are domains that stay in Takaro and could not be marked.
	left []string
}

// Reconcile brings one Domain a step closer to what it should be, normally all the way.
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

// ensure does the work of a Domain that is wanted, and returns what stopped it.
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

// stopped says what a step of the attempt returned.
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
		blocked.RequeueAfter = min(blocked.RequeueAfter, unclearWait) // it may take effect at any time
	}
	return blocked
}

// connect finds the endpoint, and sets the attempt's client. A token that was refused a moment ago is not tried again.
func (r *reconciler) connect(ctx context.Context, a *attempt) *base.Blocked {
	refusal := func() error { return r.observer.refusal(a.Key) }
	if blocked := r.Connect(ctx, &a.Connection, a.domain, secretNames(a.domain), refusal); blocked != nil {
		return placed(blocked)
	}
	a.generated = generatedKey(a.domain, a.State.Installation)
	return nil
}

// judge is classify for errors of the attempt's Takaro client. A refused token is remembered: it is not tried again for
// every Domain.
func (r *reconciler) judge(a *attempt, doing string, err error) *base.Blocked {
	if takaro.IsUnauthorized(err) {
		r.observer.refuse(a.Key, err)
	}
	return classify(doing, err)
}
