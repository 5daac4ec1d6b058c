// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
	"k8s.io/utils/clock"
)

const (
	// lookEvery is the time between two checks if nothing has changed, because certificates expire
	// and waits end with time.
	lookEvery = 5 * time.Second
	// restAfterWrite is the delay after a write, so that two clients that disagree about an
	// APIService do not write continuously.
	restAfterWrite = time.Second
)

// Options are the options of a Keeper.
type Options struct {
	// Client and Aggregator are clients for the cluster.
	Client     kubernetes.Interface
	Aggregator aggregator.Interface
	// Namespace is the installation's namespace, Service the name of the server's Service in it.
	Namespace, Service string
	// APIServices are the names of the APIServices whose caBundle the Keeper sets.
	APIServices []string
	// Clock returns the current time.
	Clock clock.PassiveClock
}

// Keeper provides the certificate of the server (it is a
// dynamiccertificates.CertKeyContentProvider) and, while it runs, keeps the Secret, the certificate
// and the APIServices consistent. Every replica has one; the holder of the Lease roadstead-cert
// writes.
type Keeper struct {
	Options
	served atomic.Pointer[record]
	// seen is the last complete content of the Secret, see observation.
	seen  *record
	trust *trust
	leads func() bool
	// damage is the last logged error about the Secret, so that it is logged once.
	damage string

	mu        sync.Mutex
	listeners []dynamiccertificates.Listener
}

var (
	_ dynamiccertificates.CertKeyContentProvider = &Keeper{}
	_ dynamiccertificates.ControllerRunner       = &Keeper{}
)

// New returns a Keeper with the certificate of the Secret, which it creates if it does not exist.
// It returns an error if the Secret cannot be read or is damaged.
func New(ctx context.Context, options Options) (*Keeper, error) {
	k := &Keeper{Options: options, leads: func() bool { return false }}
	stored, err := ensure(ctx, options.Client, options.Namespace, k.observe(nil))
	if err != nil {
		return nil, err
	}
	k.served.Store(stored)
	expiry.Set(float64(stored.leaf().NotAfter.Unix()))
	return k, nil
}

// Name identifies the certificate in the log.
func (k *Keeper) Name() string { return "Secret " + k.Namespace + "/" + SecretName }

// CurrentCertKeyContent returns the certificate with its chain, and the key, in PEM.
func (k *Keeper) CurrentCertKeyContent() (cert, key []byte) {
	served := k.served.Load()
	return served.pair.cert, served.pair.key
}

// AddListener adds a listener that is notified when the certificate changes.
func (k *Keeper) AddListener(listener dynamiccertificates.Listener) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.listeners = append(k.listeners, listener)
}

// RunOnce does nothing: New has loaded the certificate.
func (k *Keeper) RunOnce(context.Context) error { return nil }

// hosts returns the names that the aggregation layer and clients in the cluster use for the
// Service.
func (k *Keeper) hosts() []string {
	host := fmt.Sprintf("%s.%s.svc", k.Service, k.Namespace)
	return []string{host, host + ".cluster.local"}
}

func (k *Keeper) observe(stored *record) observation {
	return observation{stored: stored, served: k.served.Load(), seen: k.seen, trust: k.trust, hosts: k.hosts(), now: k.Clock.Now()}
}

// serve sets the certificate of this replica to that of r.
func (k *Keeper) serve(ctx context.Context, r *record) {
	k.served.Store(r)
	expiry.Set(float64(r.leaf().NotAfter.Unix()))
	klog.FromContext(ctx).Info("Serving another certificate", "secret", klog.KRef(k.Namespace, SecretName),
		"notAfter", r.leaf().NotAfter)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, listener := range k.listeners {
		listener.Enqueue()
	}
}
