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

// roster knows the game servers of Takaro domains by one list each, however many MockServers there are. No writes are noted in
// it: after a change, the list is forgotten.
type roster struct {
	*listcache.Cache[parts.Place, takaro.GameServer, []takaro.GameServer]
}

// snapshot is a list of game servers. It is never changed.
type snapshot = listcache.List[[]takaro.GameServer]

func newRoster(clock clock.PassiveClock) roster {
	return roster{listcache.New[parts.Place, takaro.GameServer, []takaro.GameServer](clock, nil)}
}

// list returns the game servers of a domain by a list that is younger than age; 0 means one that is begun now.
func (r roster) list(ctx context.Context, at parts.Place, client *takaro.Client, age time.Duration) (*snapshot, error) {
	return r.Younger(ctx, at, age, search(at, client))
}

// refresh takes a list. Callers at the same time share one.
func (r roster) refresh(ctx context.Context, at parts.Place, client *takaro.Client) (*snapshot, error) {
	return r.Refresh(ctx, at, search(at, client))
}

func search(at parts.Place, client *takaro.Client) func(context.Context) ([]takaro.GameServer, error) {
	return func(ctx context.Context) ([]takaro.GameServer, error) {
		return client.SearchGameServers(ctx, at.DomainID)
	}
}
