// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apiserver/gate"
)

// Cause is the guard's name at the gate, in the metric of refused requests, and among the health checks.
const Cause = "store-identity"

const (
	// checkEvery is the time between checks while all is well, retryEvery while it is not.
	checkEvery = 10 * time.Second
	retryEvery = 2 * time.Second
	// callTimeout bounds what follows a check and each look at the host, lookTimeout each look at etcd.
	callTimeout = 5 * time.Second
	lookTimeout = 3 * time.Second
	// mirrorEvery is how often at most the highest revision is written into the record.
	mirrorEvery = time.Minute
)

// Config is what a Guard needs.
type Config struct {
	// Etcd reaches the store, Prefix is where everything of ours lies in it.
	Etcd   clientv3.KV
	Prefix string
	// Host reaches the host cluster, Namespace is the installation's.
	Host      kubernetes.Interface
	Namespace string
	// Gate is closed while store and record do not fit.
	Gate *gate.Gate
	// Clock tells the time.
	Clock clock.WithTicker
}

// Guard compares store and record, and closes the gate unless they fit.
type Guard struct {
	store  store
	host   host
	gate   *gate.Gate
	clock  clock.WithTicker
	proofs batch
	nudge  chan struct{}

	// checking is held during a check; the fields below it belong to the check alone.
	checking sync.Mutex
	// known is what the host said last. It serves when the host does not answer for a while.
	known    *knowledge
	failures int
	mirrored mirror
	// older is set when this process found the store to be an older copy; it names the acceptance that was the last one
	// then.
	older *string

	mu      sync.Mutex
	state   State
	message string
	// id is that of the store that fits, "" while none does.
	id string
	// revision is the highest that any read has seen.
	revision int64
	// fitting ends when the store stops to fit.
	fitting context.Context
	broken  context.CancelFunc
}

// New returns a guard that keeps the gate closed until its first check.
func New(config Config) *Guard {
	g := &Guard{
		store: store{kv: config.Etcd, prefix: config.Prefix},
		host:  host{client: config.Host, namespace: config.Namespace},
		gate:  config.Gate,
		clock: config.Clock,
		nudge: make(chan struct{}, 1),
	}
	g.proofs.run = g.prove
	g.fitting, g.broken = context.WithCancel(context.Background())
	g.conclude(Unchecked, Seen{}, nil)
	return g
}

// Run checks until ctx ends. It never gives up: a refused store that is accepted, replaced or restored is let pass without
// a restart.
func (g *Guard) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := retryEvery
		if g.Check(ctx) == Fits {
			wait = checkEvery
		}
		timer := g.clock.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-g.nudge:
		case <-timer.C():
		}
		timer.Stop()
	}
}

// Ready gives the message of a refusal, nil when the store fits, as a health check wants it.
func (g *Guard) Ready() error { return g.gate.Check(Cause) }

// State is that of the last check.
func (g *Guard) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state
}

// conclude makes a state the present one.
func (g *Guard) conclude(state State, seen Seen, cause error) {
	message := ""
	if state != Fits {
		message = Message(state, seen, g.host.namespace, cause)
	}
	g.mu.Lock()
	before := g.state
	g.state, g.message = state, message
	g.id = ""
	if state == Fits {
		g.id = seen.StoreID
		if g.fitting.Err() != nil {
			g.fitting, g.broken = context.WithCancel(context.Background())
		}
	} else {
		g.broken()
	}
	g.mu.Unlock()
	if state == Fits {
		g.gate.Open(Cause)
	} else {
		g.gate.Close(Cause, gate.All, message)
		g.gate.AllowInspection(Cause, acceptable(state, seen))
	}
	publish(state)
	if before != state {
		klog.Background().Info("Store identity", "state", state, "store", seen.StoreID, "revision", seen.Revision, "message", message)
	}
}

// saw remembers a revision and returns the highest that was known before.
func (g *Guard) saw(revision int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.revision = max(g.revision, revision)
}

// floor is the highest revision that was seen so far: whoever reads with a quorum from now on sees no lower one.
func (g *Guard) floor() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.revision
}
