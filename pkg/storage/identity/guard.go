// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"os"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/kubernetes"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apiserver/filters/gate"
	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// Cause names the guard at the gate and in the metric of refused requests, CheckName among the health checks.
const (
	Cause     = "store-identity"
	CheckName = "store"
)

const (
	// checkInterval is the time between two checks of a serving process, retryInterval while it does not serve.
	checkInterval = storeidentity.RenewInterval
	retryInterval = 2 * time.Second
	// callTimeout limits each group of calls: to the cluster, to etcd, and for each thing that follows.
	callTimeout = 5 * time.Second
	// recordPatience is how long the record may be unread before requests are refused. The Lease has its own duration.
	recordPatience = 30 * time.Second
	// etcdPatience is the number of checks without a response after which requests no longer wait
	// for etcd. A single one may be a short interruption.
	etcdPatience = 2
	// tickInterval is the minimum time between two ticks.
	tickInterval = 15 * time.Second
	// restoreTimeout limits the restoring of Secrets before an exit.
	restoreTimeout = 2 * time.Second
)

// Secrets is a once-only Secret that the store cannot be used without.
type Secrets interface {
	// Prepare reads the values of the Secret. It is called after the store is bound and before it
	// is open to callers, and again after an error. A keeper.RefusedError is the reason why the
	// store is refused until then.
	Prepare(ctx context.Context) error
	// Restore writes values that only this process knows back into the Secret.
	Restore(ctx context.Context) error
}

// Config is what a Guard needs.
type Config struct {
	// Raw calls etcd without checks. Checked is checked by the Timeline, and also works before the
	// Timeline is open.
	Raw, Checked clientv3.KV
	Timeline     *epoch.Timeline
	// Prefix is the prefix of all keys.
	Prefix string
	// Client and Aggregator are clients for the cluster. They must not use a broken connection for
	// more than one call.
	Client     kubernetes.Interface
	Aggregator aggregator.Interface
	// Namespace is the namespace of the installation, APIServices are the names of Roadstead's
	// APIServices.
	Namespace   string
	APIServices []string
	// Member is the holder of the Lease if etcd is embedded, "<host>:<data folder>".
	Member string
	// Renumber stops an embedded etcd, raises the revision of its data folder and ends the process. Nil: etcd is external.
	Renumber func(ctx context.Context) error
	// Gate refuses requests.
	Gate  *gate.Gate
	Clock clock.WithTicker
	// Exit ends the process immediately. Nil: with exit code 1.
	Exit func()
}

// Guard binds the process to the store of the installation and keeps what the cluster knows of it.
type Guard struct {
	config Config
	store  store
	host   host
	clock  clock.WithTicker
	nudge  chan struct{}
	// opened is closed when the timeline accepts requests for the first time.
	opened  chan struct{}
	leaving sync.Once

	// checking is held during a check. The fields below it belong to the check.
	checking sync.Mutex
	lease    lease
	secrets  []Secrets
	known    *knowledge
	ticked   time.Time
	// failures is the number of consecutive checks in which etcd did not respond.
	failures int

	// recording is held while fingerprints are written.
	recording sync.Mutex

	mu      sync.RWMutex
	state   State
	message string
	// bound is set once.
	bound *epoch.Tuple
	// recorded is the last record that was read.
	recorded *storeidentity.Record
	// open is true if the timeline accepts requests.
	open bool
	// recordRead and leaseRenewed are the times of the last success.
	recordRead, leaseRenewed time.Time
	// inUse is true if a server renews the Lease, or if the Lease was never read.
	inUse        bool
	fingerprints map[string][]string
}

// New returns a guard that refuses every request until a check has bound the store.
func New(config Config) *Guard {
	g := &Guard{
		config: config,
		store:  store{raw: config.Raw, prefix: config.Prefix},
		host:   host{client: config.Client, aggregator: config.Aggregator, namespace: config.Namespace, apiServices: config.APIServices},
		lease:  lease{client: config.Client, namespace: config.Namespace, clock: config.Clock},
		clock:  config.Clock, nudge: make(chan struct{}, 1), opened: make(chan struct{}), inUse: true, fingerprints: map[string][]string{},
	}
	if g.config.Exit == nil {
		g.config.Exit = func() { os.Exit(1) }
	}
	g.conclude(Unchecked, Message(Unchecked, Facts{}))
	config.Gate.Condition(Cause, g.stale)
	return g
}

// Keep registers a Secret without which the store cannot be used. Call it before Run.
func (g *Guard) Keep(secrets Secrets) { g.secrets = append(g.secrets, secrets) }

// Run checks until ctx ends. It never gives up, so that a store that is accepted, replaced or
// restored is served without a restart.
func (g *Guard) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := retryInterval
		if g.Check(ctx) == Serving {
			wait = checkInterval
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
