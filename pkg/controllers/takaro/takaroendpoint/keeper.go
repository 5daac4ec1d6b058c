// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/absence"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Config contains the dependencies of a Keeper.
type Config struct {
	// Client reads from the cache and writes TakaroEndpoints. If it is nil, nothing is stored. That
	// is for tests of controllers that only use a Keeper.
	Client client.Client
	// Live reads without the cache.
	Live client.Reader
	// Recorder emits events of TakaroEndpoints.
	Recorder events.EventRecorder
	// Namespace is the namespace of the installation, which contains the TakaroEndpoints of its own
	// credentials.
	Namespace string
	// Installation is part of generated references at new endpoints.
	Installation string
	// Clock is the source of the current time.
	Clock clock.PassiveClock
	// Pool contains the clients that check the anchors. If it is nil, each Takaro counts as
	// verified. That is for tests of controllers that only use a Keeper.
	Pool *takaro.Pool
	// Endpoints resolves the credentials for the checks.
	Endpoints *endpoint.Resolver
	// Fenced returns an error while another process may be the leader.
	Fenced func() error
}

// Keeper maintains the TakaroEndpoints. Controllers call it before each decision about Takaro.
type Keeper struct {
	Config

	// writing serializes the writers of status.holds, so that the last judgement is stored last.
	writing sync.Mutex

	// holder is the name of this process in anchors.
	holder string
	// roused wakes the verifier.
	roused    chan struct{}
	listeners []func(context.Context, Users)
	// writes tracks the requests in flight.
	writes sync.WaitGroup

	mu        sync.Mutex
	since     time.Time
	leads     bool
	sights    map[types.NamespacedName]*sight
	gone      absence.Tracker[types.NamespacedName]
	places    places
	endpoints map[types.NamespacedName]*record

	// changed wakes the controller of TakaroEndpoints.
	changed base.Queue
}

// New returns a Keeper.
func New(config Config) *Keeper {
	k := &Keeper{
		Config: config, holder: anchor.NewHolder(), roused: make(chan struct{}, 1),
		places: places{}, endpoints: map[types.NamespacedName]*record{}, sights: map[types.NamespacedName]*sight{},
	}
	if k.Fenced == nil {
		k.Fenced = func() error { return nil }
	}
	k.publish() // zeros, so that alerts see the series before anything is held
	return k
}

// Lead records that this process became the leader.
func (k *Keeper) Lead() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.since, k.leads = k.Clock.Now(), true
	for _, s := range k.sights {
		s.next = time.Time{}
	}
	k.rouse()
}

// Start implements manager.Runnable. The manager calls it when this process becomes the leader, and
// releases the Lease only after it has returned.
func (k *Keeper) Start(ctx context.Context) error {
	k.Lead()
	<-ctx.Done()
	k.giveUp(context.WithoutCancel(ctx))
	return nil
}

// State is what is known of the Takaro installation of one Domain.
type State struct {
	ownership.Endpoint
	// At is the TakaroEndpoint.
	At types.NamespacedName
	// Installation is part of every reference that is generated there.
	Installation string
	// Failed is why Takaro could not be queried for its identity, if it is not verified for that
	// reason.
	Failed error
	// GoneSince is since when the Domain's held id has been missing in every complete list. It is
	// the zero time until two lists lacked it and were judged.
	GoneSince time.Time

	keeper *Keeper
}

// At returns what is known of the Takaro installation that the Domain uses, and creates its
// TakaroEndpoint if there is none. For a MockServer without a Domain, domain is built from its
// fields.
func (k *Keeper) At(ctx context.Context, domain *v1alpha1.Domain, resolved endpoint.Resolved) (State, error) {
	at := k.placeOf(domain, resolved.URL)
	stored, err := k.ensure(ctx, at, resolved.URL)
	if err != nil {
		return State{}, err
	}
	if stored.ResourceVersion == "" && k.identified() {
		k.lookUnstored(ctx, stored, domain)
	}
	held, err := k.DeletionHold(ctx, domain)
	if err != nil {
		return State{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	state := State{At: at, Installation: stored.Status.Installation}
	if state.Endpoint, state.Failed = k.standing(stored); k.identified() {
		state.keeper = k
	}
	state.DeletionHold = held
	if !state.Verified {
		k.hurry(at, resolved)
	}
	if domain.Name == "" {
		return state, nil
	}
	name := client.ObjectKeyFromObject(domain)
	k.move(name, at)
	if known := k.endpoints[at]; known != nil && known.due(name, domain) {
		state.GoneSince = k.gone.Since(name)
		if known.verdicts[v1alpha1.HoldVanished].holds(name.String()) {
			state.VanishedHold = releaseCommand(at, known.verdicts[v1alpha1.HoldVanished].token)
		}
	}
	return state, nil
}

// Leave records domains that remain in Takaro after their Domain was deleted, and could not be
// marked. Each entry is an id, or the reference of a domain whose id is not known.
func (k *Keeper) Leave(ctx context.Context, domain *v1alpha1.Domain, resolved endpoint.Resolved, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	at := k.placeOf(domain, resolved.URL)
	stored, err := k.ensure(ctx, at, resolved.URL)
	if err != nil || stored.ResourceVersion == "" {
		return err
	}
	dropped := false
	stored, err = k.update(ctx, at, func(e *v1alpha1.TakaroEndpoint) {
		dropped = leave(&e.Status, client.ObjectKeyFromObject(domain).String(), ids, k.Clock.Now())
	})
	if err == nil && dropped {
		k.event(stored, corev1.EventTypeWarning, eventLeftForgotten,
			"status.left is full, and its oldest entries were removed. takaro-sweep lists these domains as left behind.")
	}
	return err
}

// Forget removes the state of a Domain that no longer exists.
func (k *Keeper) Forget(name types.NamespacedName) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(name)
	delete(k.places, name)
	for _, known := range k.endpoints {
		if known.deletions.end(name, known.verdicts[v1alpha1.HoldDeletion]) {
			known.rejudge(deletionKind)
		}
	}
	k.publish()
}

// forgetEndpoint removes the state of a TakaroEndpoint that no longer exists.
func (k *Keeper) forgetEndpoint(at types.NamespacedName) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.endpoints, at)
	k.publish()
}

// System returns the name of the Takaro at an address for messages.
func System(url string) string { return "Takaro at " + url }
