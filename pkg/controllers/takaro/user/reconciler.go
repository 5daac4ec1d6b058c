// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/absence"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Finalizer blocks the deletion of a User until the deletion policy was applied to the user in
// Takaro.
const Finalizer = "takaro.roadstead.dev/user"

type reconciler struct {
	parts.Parts[*v1alpha1.User]
	roster *roster
	// gone records since when held users have been missing in every list.
	gone  *absence.Tracker[types.UID]
	seed  *seedStore
	given givenReader
}

// attempt is one reconciliation of one User.
type attempt struct {
	// user is a copy whose status is the draft of the next status.
	user *v1alpha1.User
	parts.Connection
	// ready is set if the stored status says that the current spec is fulfilled.
	ready bool
	// domain is the Domain of the User, or nil if it does not exist.
	domain *v1alpha1.Domain
	// place and url are set by connect.
	place parts.Place
	url   string
	// secret is the User's Secret, or nil if it does not exist. stored is the password in it.
	secret *corev1.Secret
	stored takaro.Secret
	// The following fields are set by choosePassword. given is set if the password was not
	// generated. seed is the fingerprint of the seed from which it was derived. facts is nil if the
	// seed is lost.
	password takaro.Secret
	given    bool
	seed     string
	facts    *ownership.Facts
	// published is the password for the Secret, empty if none was ever accepted. accepted is set if
	// it works and, if a password was given, is that one.
	published takaro.Secret
	accepted  bool
	// missing contains the roles that do not exist in the domain.
	missing []string
}

// Reconcile brings one User closer to its spec, usually completely.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	return base.WithoutFailure(r.reconcile(ctx, request))
}

func (r *reconciler) reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	turn := r.Slots.Begin(request)
	defer turn.End()
	stored := &v1alpha1.User{}
	if err := r.Client.Get(ctx, request.NamespacedName, stored); err != nil {
		r.Refusals.Forget(request.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	domain, err := r.domainOf(ctx, stored)
	if err != nil {
		return reconcile.Result{}, err
	}
	a := &attempt{user: stored.DeepCopy(), Connection: parts.Connection{Turn: turn}, domain: domain, ready: r.Fulfilled(stored)}
	if stored.DeletionTimestamp != nil {
		return r.finalize(ctx, a, stored)
	}
	changed, err := domainref.Claim(ctx, r.Live, a.user, Finalizer, a.domain, r.Client.Scheme())
	if err != nil {
		return reconcile.Result{}, err
	}
	if changed {
		if err := r.Client.Update(ctx, a.user); err != nil {
			return reconcile.Result{}, err
		}
		stored = a.user.DeepCopy()
	}
	work, done := base.Work(ctx)
	defer done()
	blocked := r.ensure(work, a)
	return r.report(ctx, a, stored, problem.Naming(blocked, a.Resolved.From))
}

// domainOf returns the Domain of a User, or nil if it does not exist.
func (r *reconciler) domainOf(ctx context.Context, user *v1alpha1.User) (*v1alpha1.Domain, error) {
	return domainref.Find(ctx, r.Client, user.Namespace, user.Spec.DomainRef.Name)
}

// ensure reconciles a User that is not being deleted, and returns what stopped it.
func (r *reconciler) ensure(ctx context.Context, a *attempt) *base.Blocked {
	if waiting := gate(a.user, a.domain); waiting != nil {
		return waiting
	}
	for _, step := range []func(context.Context, *attempt) *base.Blocked{r.connect, r.readSecret, r.choosePassword, r.upgrade} {
		if blocked := step(ctx, a); blocked != nil {
			return blocked
		}
	}
	r.recordSeed(a)
	return r.obtain(ctx, a)
}

// connect resolves the endpoint of the Domain and sets the attempt's client. The Secrets that this
// needs are those of the Domain.
func (r *reconciler) connect(ctx context.Context, a *attempt) *base.Blocked {
	if blocked := r.Connect(ctx, &a.Connection, a.domain, nil, nil); blocked != nil {
		return blocked
	}
	var err error
	// This is the address in the spec, which is immutable, and not that of the endpoint, because
	// generated passwords depend on it.
	if a.url, err = takaro.NormalizeURL(a.domain.Spec.TakaroAPIURL); err != nil {
		return problem.Unusable(err, a.Resolved.From)
	}
	a.place = parts.Place{Endpoint: a.Key, DomainID: domainref.DomainID(a.domain)}
	return nil
}
