// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/takaro"
)

// Finalizer holds a User until its Takaro side is dealt with.
const Finalizer = "takaro.roadstead.dev/user"

type reconciler struct {
	client    client.Client // reads from the cache
	live      client.Reader
	secrets   *secrets.Owned
	protector *secrets.Protector
	endpoints *endpoint.Resolver
	pool      *takaro.Pool
	roster    *roster
	absences  *absences
	seed      *seedStore
	given     givenReader
	recorder  events.EventRecorder
}

// attempt is one reconciliation of one User.
type attempt struct {
	// user is a copy whose status is the draft of the next one.
	user *v1alpha1.User
	// domain is the one that it belongs to, nil when there is none.
	domain *v1alpha1.Domain
	// client, place, url and from (where its secrets are) are set once the endpoint is known.
	client *takaro.Client
	place  place
	url    string
	from   endpoint.Sources
	// password is set by choosePassword; given: it was not generated; accepted: Takaro's login takes it.
	password        takaro.Secret
	given, accepted bool
	// answered: Takaro answered a create clearly, so that none is under way.
	answered bool
	// missing is set when the domain does not have all roles.
	missing []string
}

// Reconcile brings one User a step closer to what it should be, normally all the way.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	stored := &v1alpha1.User{}
	if err := r.client.Get(ctx, request.NamespacedName, stored); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	domain, err := r.domainOf(ctx, stored)
	if err != nil {
		return reconcile.Result{}, err
	}
	a := &attempt{user: stored.DeepCopy(), domain: domain}
	if stored.DeletionTimestamp != nil {
		return r.finalize(ctx, a, stored)
	}
	changed, err := domainref.Claim(ctx, r.live, a.user, Finalizer, a.domain, r.client.Scheme())
	if err != nil {
		return reconcile.Result{}, err
	}
	if changed {
		if err := r.client.Update(ctx, a.user); err != nil {
			return reconcile.Result{}, err
		}
		stored = a.user.DeepCopy()
	}
	blocked := r.ensure(ctx, a)
	return r.report(ctx, a, stored, blocked.Naming(a.from))
}

// domainOf returns the Domain of a User, nil when it is not there.
func (r *reconciler) domainOf(ctx context.Context, user *v1alpha1.User) (*v1alpha1.Domain, error) {
	return domainref.Find(ctx, r.client, user.Namespace, user.Spec.DomainRef.Name)
}

// ensure does the work of a User that is wanted, and returns what stopped it. The roles come last: they alone may have to
// wait while the login already works.
func (r *reconciler) ensure(ctx context.Context, a *attempt) *problem.Problem {
	if waiting := gate(a.user, a.domain); waiting != nil {
		return waiting
	}
	if blocked := r.connect(ctx, a); blocked != nil {
		return blocked
	}
	secret, err := r.secrets.Find(ctx, a.user, secretName(a.user))
	if err != nil {
		return problem.Classify("looking at Secret "+secretName(a.user), err)
	}
	if blocked := r.choosePassword(ctx, a); blocked != nil {
		return blocked
	}
	record, blocked := r.obtain(ctx, a)
	if blocked != nil {
		return blocked
	}
	sameUser := a.user.Status.UserID == record.ID
	a.user.Status.UserID = record.ID
	if blocked := r.checkPassword(ctx, a, secret, sameUser); blocked != nil {
		return blocked
	}
	if blocked := r.publish(ctx, a); blocked != nil {
		return blocked
	}
	if record, blocked = r.correct(ctx, a, record); blocked != nil {
		return blocked
	}
	return r.assignRoles(ctx, a, record)
}

// connect finds the endpoint of the Domain and sets the attempt's client. The Domain holds the Secrets that this needs.
func (r *reconciler) connect(ctx context.Context, a *attempt) *problem.Problem {
	resolved, err := r.endpoints.Resolve(ctx, a.domain)
	if err != nil {
		return problem.Classify("looking for the endpoint's credentials", err)
	}
	a.from = resolved.From
	// The typed address, which never changes, and not the endpoint's: generated passwords depend on it.
	if a.url, err = takaro.NormalizeURL(a.domain.Spec.TakaroAPIURL); err != nil {
		return problem.Unusable(err, a.from)
	}
	if a.client, err = r.pool.Client(resolved.Endpoint); err != nil {
		return problem.Unusable(err, a.from)
	}
	a.place = place{endpoint: endpoint.KeyOf(resolved.Endpoint), domainID: a.domain.Status.DomainID}
	return nil
}
