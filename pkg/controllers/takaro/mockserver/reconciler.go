// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/absence"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Finalizer blocks the deletion of a MockServer until its pods, its game servers in Takaro and its
// state in Redis were cleaned up.
const Finalizer = "takaro.roadstead.dev/mock-server"

type reconciler struct {
	parts.Parts[*v1alpha1.MockServer]
	redis     *redisAccess
	roster    roster
	restarts  *restarts
	limit     *restartLimit
	silences  *silences
	absences  *absence.Tracker[string]
	conflicts *conflicts
	foreign   *foreignIDs
	// image is the image of pods whose spec sets none.
	image string
}

// attempt is one reconciliation of one MockServer.
type attempt struct {
	// server is a copy whose status is the draft of the next status. before is the stored status.
	// ready is set if that status says that the current spec is fulfilled.
	server *v1alpha1.MockServer
	before v1alpha1.MockServerStatus
	ready  bool
	parts.Connection
	// domain is the Domain of the MockServer, or nil if there is none.
	domain *v1alpha1.Domain
	// set and pods are the objects in the cluster. set is nil if there is no StatefulSet.
	set  *appsv1.StatefulSet
	pods map[int]pod
	// place, limit and token (for registration) are set by locate.
	place parts.Place
	limit int
	token takaro.Secret
	// connector is the address that the game servers connect to.
	connector string
	redis     redisTarget
	// list contains the game servers of the domain. listedAnew is set if it was started in this
	// attempt, and nothing was changed since. ledger is the result of claim, and stopped is why a
	// game server has to wait.
	list       *snapshot
	listedAnew bool
	ledger     ownership.Ledger
	stopped    *base.Blocked
	// again is the delay before the next reconciliation if the attempt waits for nothing, or 0 for
	// none.
	again time.Duration
}

// takaroSpec returns the specification of the Takaro endpoint as a Domain: the one that the
// MockServer refers to, or else one that is built from the MockServer's own fields.
func (a *attempt) takaroSpec() *v1alpha1.Domain {
	if a.server.Spec.DomainRef != nil {
		return a.domain
	}
	return takaroendpoint.DomainOf(a.server)
}

// Reconcile brings one MockServer closer to its spec. Each change of its pods and of their state in
// Takaro causes another reconciliation.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	return base.WithoutFailure(r.reconcile(ctx, request))
}

func (r *reconciler) reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	turn := r.Slots.Begin(request)
	defer turn.End()
	stored := &v1alpha1.MockServer{}
	if err := r.Client.Get(ctx, request.NamespacedName, stored); err != nil {
		r.Refusals.Forget(request.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	domain, err := r.domainOf(ctx, stored)
	if err != nil {
		return reconcile.Result{}, err
	}
	a := &attempt{server: stored.DeepCopy(), before: *stored.Status.DeepCopy(), ready: r.Fulfilled(stored), domain: domain,
		Connection: parts.Connection{Turn: turn}}
	if stored.DeletionTimestamp != nil {
		return r.finalize(ctx, a, stored)
	}
	changed, err := domainref.Claim(ctx, r.Live, a.server, Finalizer, a.domain, r.Client.Scheme())
	if err != nil {
		return reconcile.Result{}, err
	}
	if changed {
		if err := r.Client.Update(ctx, a.server); err != nil {
			return reconcile.Result{}, err
		}
		stored = a.server.DeepCopy()
	}
	if err := r.observe(ctx, a); err != nil {
		return reconcile.Result{}, err
	}
	work, done := base.Work(ctx)
	defer done()
	blocked := r.ensure(work, a)
	return r.report(ctx, a, stored, problem.Naming(blocked, a.Resolved.From))
}

// domainOf returns the Domain of a MockServer, or nil if it does not exist or the spec refers to
// none.
func (r *reconciler) domainOf(ctx context.Context, server *v1alpha1.MockServer) (*v1alpha1.Domain, error) {
	if server.Spec.DomainRef == nil {
		return nil, nil
	}
	return domainref.Find(ctx, r.Client, server.Namespace, server.Spec.DomainRef.Name)
}

// ensure reconciles a MockServer that is not being deleted, and returns what stopped it or what it
// still waits for.
func (r *reconciler) ensure(ctx context.Context, a *attempt) *base.Blocked {
	for _, step := range []func(context.Context, *attempt) *base.Blocked{
		r.passGate, r.connect, r.locate, r.findConnector, r.findRedis, r.claim, r.deploy, r.register,
	} {
		if blocked := step(ctx, a); blocked != nil {
			return blocked
		}
	}
	return nil
}

func (r *reconciler) passGate(_ context.Context, a *attempt) *base.Blocked {
	blocked := gate(a.server, a.domain)
	if blocked != nil {
		r.restarts.forget(a.server.UID) // a game server that is unreachable now need not be caused by its pod
		r.limit.forget(a.server.UID)
	}
	return blocked
}

// connect resolves the endpoint, and sets the attempt's client.
func (r *reconciler) connect(ctx context.Context, a *attempt) *base.Blocked {
	return r.Connect(ctx, &a.Connection, a.takaroSpec(), secretNames(a.server), func() error {
		r.limit.locate(a.server.UID, a.State.At)
		return nil
	})
}

// locate finds the Takaro domain, its limit of game servers, and the token with which they
// register.
func (r *reconciler) locate(ctx context.Context, a *attempt) *base.Blocked {
	if a.server.Spec.DomainRef == nil {
		return r.locateForeign(ctx, a)
	}
	status := &a.domain.Status
	a.place = a.placeOf(domainref.DomainID(a.domain))
	a.limit = -1
	if limits := status.ObservedLimits; limits != nil && limits.MaxGameServers != nil {
		a.limit = int(*limits.MaxGameServers)
	}
	name := registrationSecret(a.server, a.domain).Name
	secret, err := r.Secrets.Get(ctx, types.NamespacedName{Namespace: a.server.Namespace, Name: name})
	if err == nil && len(secret.Data[registrationKey]) > 0 {
		a.token = takaro.NewSecret(string(secret.Data[registrationKey]))
		return nil
	}
	if err == nil || apierrors.IsNotFound(err) {
		return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonDomainNotReady, Message: fmt.Sprintf(
			"Secret %q of Domain %q is not there or has no %s; waiting for the Domain to write it", name, a.domain.Name, registrationKey)}
	}
	return problem.Classify("reading the registration token", err)
}
