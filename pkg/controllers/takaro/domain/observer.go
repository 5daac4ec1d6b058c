// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/base/listcache"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// snapshotLife is the maximum age of a list that is used. A list is read every minute, so an older
// one means that Takaro does not respond.
const snapshotLife = 3 * time.Minute

const (
	// refusedLife is how long a rejected token is not tried again. The first delay of its Domains
	// (problem.RefusedWait) is longer, so that each endpoint gets one request. The sum of both is
	// less than a minute.
	refusedLife = 20 * time.Second
	// tooLargeLife is how long a list that was too large is not read again, because it is the most
	// expensive request.
	tooLargeLife = time.Minute
	failedLife   = time.Second
)

// observer caches one list of domains per endpoint, regardless of the number of Domains. A list
// that failed is cached too.
type observer struct {
	clock clock.PassiveClock
	cache *listcache.Cache[endpoint.Key, takaro.Domain, rows]
}

// rows are the domains of a list, by id.
type rows map[string]takaro.Domain

type snapshot = listcache.List[rows]

// lifeOf returns how long the list is used. A rejected token is not tried again for each of its
// Domains. An open circuit breaker costs no request and may close at any time.
func lifeOf(list *snapshot) time.Duration {
	switch {
	case list.Err == nil:
		return snapshotLife
	case takaro.IsUnauthorized(list.Err):
		return refusedLife
	case takaro.IsSearchTooLarge(list.Err):
		return tooLargeLife
	case takaro.IsCircuitOpen(list.Err):
		return 0
	default:
		return failedLife
	}
}

func newObserver(clock clock.PassiveClock) *observer {
	return &observer{clock: clock, cache: listcache.New[endpoint.Key](clock, func(rows rows, id string, record *takaro.Domain) {
		if record == nil {
			delete(rows, id)
			return
		}
		rows[id] = *record
	})}
}

func (o *observer) find(list *snapshot, id string) (record takaro.Domain, found bool) {
	o.cache.Read(list, func(rows rows) { record, found = rows[id] })
	return record, found
}

// all returns the domains of a list.
func (o *observer) all(list *snapshot) (all []takaro.Domain) {
	o.cache.Read(list, func(rows rows) { all = slices.Collect(maps.Values(rows)) })
	return all
}

// list returns the last list of an endpoint, or reads one if the last one is too old.
func (o *observer) list(ctx context.Context, key endpoint.Key, client *takaro.Client) (*snapshot, error) {
	if last := o.cache.Last(key); last != nil && o.clock.Since(last.Taken) < lifeOf(last) {
		return last, last.Err
	}
	return o.refresh(ctx, key, client)
}

// refusal returns the error of an endpoint that recently rejected the token, or nil.
func (o *observer) refusal(key endpoint.Key) error {
	last := o.cache.Last(key)
	if last != nil && takaro.IsUnauthorized(last.Err) && o.clock.Since(last.Taken) < refusedLife {
		return last.Err
	}
	return nil
}

// refuse records that an endpoint rejected the token.
func (o *observer) refuse(key endpoint.Key, err error) {
	o.cache.Install(key, &snapshot{Taken: o.clock.Now(), Rows: rows{}, Err: err})
}

// fresh returns a list that was started after the call.
func (o *observer) fresh(ctx context.Context, key endpoint.Key, client *takaro.Client) (*snapshot, error) {
	return o.cache.Fresh(ctx, key, o.search(key, client))
}

// refresh reads a list. Concurrent callers share one request.
func (o *observer) refresh(ctx context.Context, key endpoint.Key, client *takaro.Client) (*snapshot, error) {
	return o.cache.Refresh(ctx, key, o.search(key, client))
}

func (o *observer) search(key endpoint.Key, client *takaro.Client) func(context.Context) (rows, error) {
	return func(ctx context.Context) (rows, error) {
		taken := o.clock.Now()
		domains, err := client.SearchDomains(ctx, takaro.DomainSearch{})
		found := make(rows, len(domains))
		for _, record := range domains {
			found[record.ID] = record
		}
		if err != nil {
			err = fmt.Errorf("listing domains: %w", err)
			o.cache.Install(key, &snapshot{Taken: taken, Rows: found, Err: err})
		}
		return found, err
	}
}

// put records Takaro's response to a write of this process.
func (o *observer) put(key endpoint.Key, record *takaro.Domain) { o.cache.Put(key, record.ID, *record) }

// remove records that a domain was deleted.
func (o *observer) remove(key endpoint.Key, id string) { o.cache.Remove(key, id) }
