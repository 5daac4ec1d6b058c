// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/base/listcache"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// roster caches one list of game servers per Takaro domain, regardless of the number of
// MockServers. Writes are not applied to it: after a change, the list is removed.
type roster struct {
	*listcache.Cache[parts.Place, takaro.GameServer, []takaro.GameServer]
}

// snapshot is an immutable list of game servers.
type snapshot = listcache.List[[]takaro.GameServer]

func newRoster(clock clock.PassiveClock) roster {
	return roster{listcache.New[parts.Place, takaro.GameServer, []takaro.GameServer](clock, nil)}
}

// list returns the game servers of a domain from a list that is younger than age. If age is 0, the
// list is started after the call.
func (r roster) list(ctx context.Context, at parts.Place, client *takaro.Client, age time.Duration) (*snapshot, error) {
	return r.Younger(ctx, at, age, search(at, client))
}

// refresh reads a list. Concurrent callers share one request.
func (r roster) refresh(ctx context.Context, at parts.Place, client *takaro.Client) (*snapshot, error) {
	return r.Refresh(ctx, at, search(at, client))
}

func search(at parts.Place, client *takaro.Client) func(context.Context) ([]takaro.GameServer, error) {
	return func(ctx context.Context) ([]takaro.GameServer, error) {
		return client.SearchGameServers(ctx, at.DomainID)
	}
}
