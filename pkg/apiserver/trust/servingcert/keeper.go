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
	// lookEvery is between two looks when nothing has changed: certificates age and waits end by time alone.
	lookEvery = 5 * time.Second
	// restAfterWrite keeps two parties that disagree about an APIService from writing without a pause.
	restAfterWrite = time.Second
)

// Options say whose certificate a Keeper keeps.
type Options struct {
	// Client and Aggregator reach the host cluster.
	Client     kubernetes.Interface
	Aggregator aggregator.Interface
	// Namespace is the installation's namespace, Service the name of the server's Service in it.
	Namespace, Service string
	// APIServices are the names of those whose caBundle is kept.
	APIServices []string
	// Clock tells the time.
	Clock clock.PassiveClock
}

// Keeper gives the server its certificate (it is a dynamiccertificates.CertKeyContentProvider) and, while it runs, keeps
// the Secret, the certificate and the APIServices in step. Any number of replicas have one; the holder of the Lease
// roadstead-cert writes.
type Keeper struct {
	Options
	served atomic.Pointer[record]
	// seen is the last whole content of the Secret, see observation.
	seen  *record
	trust *trust
	leads func() bool
	// damage is the last thing that was said of the Secret, so that it is said once.
	damage string

	mu        sync.Mutex
	listeners []dynamiccertificates.Listener
}

var (
	_ dynamiccertificates.CertKeyContentProvider = &Keeper{}
	_ dynamiccertificates.ControllerRunner       = &Keeper{}
)

// New returns a Keeper that has a certificate: that of the Secret, made now if there is none. A Secret that cannot be
// read or is damaged is an error.
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

// CurrentCertKeyContent gives the certificate with its chain, and the key, in PEM.
func (k *Keeper) CurrentCertKeyContent() (cert, key []byte) {
	served := k.served.Load()
	return served.pair.cert, served.pair.key
}

// AddListener adds one that is told when the certificate has changed.
func (k *Keeper) AddListener(listener dynamiccertificates.Listener) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.listeners = append(k.listeners, listener)
}

// RunOnce does nothing: New has loaded the certificate.
func (k *Keeper) RunOnce(context.Context) error { return nil }

// hosts are the names by which the aggregation layer and users in the cluster reach the Service.
func (k *Keeper) hosts() []string {
	host := fmt.Sprintf("%s.%s.svc", k.Service, k.Namespace)
	return []string{host, host + ".cluster.local"}
}

func (k *Keeper) observe(stored *record) observation {
	return observation{stored: stored, served: k.served.Load(), seen: k.seen, trust: k.trust, hosts: k.hosts(), now: k.Clock.Now()}
}

// serve makes r the certificate of this replica.
func (k *Keeper) serve(ctx context.Context, r *record) {
	k.served.Store(r)
	expiry.Set(float64(r.leaf().NotAfter.Unix()))
	klog.FromContext(ctx).Info("Serving another certificate from now on", "secret", klog.KRef(k.Namespace, SecretName),
		"notAfter", r.leaf().NotAfter)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, listener := range k.listeners {
		listener.Enqueue()
	}
}
