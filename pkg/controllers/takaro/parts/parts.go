// SPDX-License-Identifier: Apache-2.0

// Package parts contains what the reconcilers of Domains, Users and MockServers share.
package parts

import (
	"cmp"
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/slots"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Shared contains the dependencies that the controllers of all kinds share.
type Shared struct {
	Secrets   *secrets.Owned
	Protector *secrets.Protector
	Endpoints *endpoint.Resolver
	Pool      *takaro.Pool
	// Keeper knows what is allowed at each endpoint.
	Keeper *takaroendpoint.Keeper
	// Namespace is the namespace of the installation's Secrets.
	Namespace string
	// ComparePeriod is the time between comparisons with Takaro. The default is one minute.
	ComparePeriod time.Duration
	// QPS is the rate limit of each endpoint. Comparisons of Users and of MockServers use at most
	// half of it.
	QPS float64
}

// CompareQPS returns the maximum rate of lists per endpoint, including those for other kinds. The
// rest of the rate limit is reserved for new and changed objects.
func (s Shared) CompareQPS() float64 { return s.QPS / 2 }

// Parts are the common parts of the reconciler of one kind.
type Parts[T client.Object] struct {
	// Reporter contains the client, which reads from the cache. Live reads without the cache.
	problem.Reporter[T]
	Shared
	Live  client.Reader
	Clock clock.PassiveClock
	// Queue wakes objects. Slots limits how many of them send requests to Takaro at the same time.
	Queue *base.Queue
	Slots *slots.Slots[endpoint.Key]
}

// New returns the Parts of a reconciler that has no objects yet. Slots do not use the clock, but
// real timers.
func New[T client.Object](shared Shared, reporter problem.Reporter[T], live client.Reader, now clock.PassiveClock) Parts[T] {
	queue := &base.Queue{}
	shared.ComparePeriod = cmp.Or(shared.ComparePeriod, time.Minute)
	return Parts[T]{
		Reporter: reporter, Shared: shared, Live: live, Clock: now,
		Queue: queue, Slots: slots.New[endpoint.Key](clock.RealClock{}, queue.AddAll),
	}
}

// Wake wakes the objects of a list that use an endpoint. domainOf returns the Domain that specifies
// the Takaro endpoint, or nil if there is none.
func Wake[T client.Object](
	ctx context.Context, p Parts[T], key endpoint.Key, list client.ObjectList, domainOf func(context.Context, T) (*v1alpha1.Domain, error),
) error {
	if err := p.Client.List(ctx, list); err != nil {
		return err
	}
	return meta.EachListItem(list, func(item runtime.Object) error {
		object := item.(T)
		domain, err := domainOf(ctx, object)
		if err != nil || domain == nil {
			return nil // the object waits for its Domain, which wakes it
		}
		if resolved, err := p.Endpoints.Resolve(ctx, domain); err == nil && endpoint.KeyOf(resolved.Endpoint) == key {
			p.Queue.Add(object)
		}
		return nil
	})
}
