// SPDX-License-Identifier: Apache-2.0

package parts

import (
	"context"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/compare"
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Place is a domain of an endpoint.
type Place struct {
	Endpoint endpoint.Key
	DomainID string
}

// Group is the objects of one place.
type Group[T any] struct {
	Endpoint takaro.Endpoint
	Objects  []T
}

// Add adds an object to the group of its domain.
func Add[T any](groups map[Place]*Group[T], at takaro.Endpoint, domainID string, object T) {
	place := Place{Endpoint: endpoint.KeyOf(at), DomainID: domainID}
	if groups[place] == nil {
		groups[place] = &Group[T]{Endpoint: at}
	}
	groups[place].Objects = append(groups[place].Objects, object)
}

// PlaceLoop returns a loop that calls one for each place that has objects of a kind, at a rate of
// at most CompareQPS. See compare.Loop for groups and begun.
func PlaceLoop[K client.Object, T any](
	p Parts[K], kind string, groups func(context.Context) (map[Place]*Group[T], error),
	one func(context.Context, Place, *takaro.Client, []T), begun func(map[Place]bool),
) *compare.Loop[endpoint.Key, Place, *Group[T]] {
	duration := counts.CompareDuration.WithLabelValues(kind)
	return &compare.Loop[endpoint.Key, Place, *Group[T]]{
		Period:     p.ComparePeriod,
		Groups:     groups,
		EndpointOf: func(at Place) endpoint.Key { return at.Endpoint },
		Compare: func(ctx context.Context, at Place, group *Group[T]) bool {
			takaroClient, err := p.Pool.Client(group.Endpoint)
			if err != nil || takaroClient.Pace(ctx, p.CompareQPS()) != nil {
				return false // the objects, or their Domains, report the reason
			}
			one(ctx, at, takaroClient, group.Objects)
			return true
		},
		Begun: begun,
		Ended: func(_ context.Context, _ map[Place]*Group[T], took time.Duration) { duration.Set(took.Seconds()) },
	}
}

// Watch runs the loops until ctx is canceled, and wakes the objects of an endpoint that responds
// again. list is an empty list of the kind. domainOf is that of Wake.
func Watch[T client.Object](
	ctx context.Context, p Parts[T], list client.ObjectList, domainOf func(context.Context, T) (*v1alpha1.Domain, error),
	loops ...func(context.Context),
) {
	wake := func(key endpoint.Key) {
		if err := Wake(ctx, p, key, list.DeepCopyObject().(client.ObjectList), domainOf); err != nil {
			log.FromContext(ctx).Error(err, "Waking the objects of an endpoint failed; the next comparison wakes them")
		}
	}
	cancel := p.Pool.OnCircuitClosed(func(key endpoint.Key) { go wake(key) })
	defer cancel()
	var running sync.WaitGroup
	for _, loop := range loops {
		running.Go(func() { loop(ctx) })
	}
	running.Wait()
}
