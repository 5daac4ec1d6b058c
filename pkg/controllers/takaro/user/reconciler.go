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

// Finalizer keeps a User until the user in Takaro is dealt with.
const Finalizer = "takaro.roadstead.dev/user"

type reconciler struct {
	parts.Parts[*v1alpha1.User]
	roster *roster
	// gone has since when held users have been missing in every list.
	gone  *absence.Tracker[types.UID]
	seed  *seedStore
	given givenReader
}

// attempt is one reconciliation of one User.
type attempt struct {
	// user is a copy whose status is the draft of the next one.
	user *v1alpha1.User
	parts.Connection
	// ready reports that the stored status says that the present spec is fulfilled.
	ready bool
	// domain is the Domain of the User, nil if there is none.
	domain *v1alpha1.Domain
	// place and url are set by connect.
	place parts.Place
	url   string
	// secret is the User's own, nil without one; stored is its password.
	secret *corev1.Secret
	stored takaro.Secret
	// password, given (it was not generated), seed (the fingerprint of the seed from which it was
	// derived) and facts (nil if the seed is lost) are set by choosePassword.
	password takaro.Secret
	given    bool
	seed     string
	facts    *ownership.Facts
	// published is the password for the Secret, empty if none was ever accepted; accepted reports
	// that it works, and is the given one if one was given.
	published takaro.Secret
	accepted  bool
	// missing has the roles that the domain lacks.
	missing []string
}

// Reconcile brings one User a step closer to its spec, normally all the way.
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

// domainOf returns the Domain of a User, nil if there is none.
func (r *reconciler) domainOf(ctx context.Context, user *v1alpha1.User) (*v1alpha1.Domain, error) {
	return domainref.Find(ctx, r.Client, user.Namespace, user.Spec.DomainRef.Name)
}

// ensure does the work of a User that is not being deleted, and returns what stopped it.
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

// connect finds the endpoint of the Domain and sets the attempt's client. The Domain holds the Secrets that this needs.
func (r *reconciler) connect(ctx context.Context, a *attempt) *base.Blocked {
	if blocked := r.Connect(ctx, &a.Connection, a.domain, nil, nil); blocked != nil {
		return blocked
	}
	var err error
	// The typed address, which never changes, and not the endpoint's: generated passwords depend on it.
	if a.url, err = takaro.NormalizeURL(a.domain.Spec.TakaroAPIURL); err != nil {
		return problem.Unusable(err, a.Resolved.From)
	}
	a.place = parts.Place{Endpoint: a.Key, DomainID: domainref.DomainID(a.domain)}
	return nil
}
