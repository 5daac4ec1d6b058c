// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/base/flight"
	"roadstead.dev/roadstead/pkg/controllers/base/listcache"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// snapshotLife is the maximum age of a list that proves that a user exists. A list is read every
// minute, so an older one means that Takaro does not respond.
const snapshotLife = 3 * time.Minute

// roster caches one list of users per Takaro domain, regardless of the number of Users.
type roster struct {
	clock clock.PassiveClock
	cache *listcache.Cache[parts.Place, takaro.User, *rows]

	mu          sync.Mutex
	roles       map[parts.Place]*roleList
	roleFlights flight.Group[parts.Place, *roleList]
}

type snapshot = listcache.List[*rows]

// rows are the users of a list, by id.
type rows struct {
	users map[string]takaro.User
	// emails maps lower-case e-mail addresses to ids. Takaro treats addresses that differ only in
	// case as one identity.
	emails map[string]string
}

func newRoster(clock clock.PassiveClock) *roster {
	return &roster{clock: clock, cache: listcache.New[parts.Place](clock, (*rows).apply), roles: map[parts.Place]*roleList{}}
}

func rowsOf(users []takaro.User) *rows {
	found := &rows{users: map[string]takaro.User{}, emails: map[string]string{}}
	for i := range users {
		found.apply(users[i].ID, &users[i])
	}
	return found
}

func (s *rows) apply(id string, user *takaro.User) {
	if user != nil {
		s.users[id] = *user
		s.emails[strings.ToLower(user.Email)] = id
		return
	}
	email := strings.ToLower(s.users[id].Email)
	delete(s.users, id)
	if s.emails[email] == id {
		delete(s.emails, email)
	}
}

// list returns a list that is younger than age. If age is 0, the list is started after the call.
func (r *roster) list(ctx context.Context, at parts.Place, client *takaro.Client, age time.Duration) (*snapshot, error) {
	return r.cache.Younger(ctx, at, age, search(at, client))
}

// refresh reads a list. Concurrent callers share one request.
func (r *roster) refresh(ctx context.Context, at parts.Place, client *takaro.Client) (*snapshot, error) {
	return r.cache.Refresh(ctx, at, search(at, client))
}

func search(at parts.Place, client *takaro.Client) func(context.Context) (*rows, error) {
	return func(ctx context.Context) (*rows, error) {
		users, err := client.SearchUsers(ctx, at.DomainID)
		if err != nil {
			return nil, err
		}
		return rowsOf(users), nil
	}
}

// byID returns a copy of the user with the id.
func (r *roster) byID(list *snapshot, id string) (user takaro.User, listed bool) {
	r.cache.Read(list, func(rows *rows) { user, listed = rows.users[id] })
	return user, listed
}

// byEmail returns a copy of the user with the e-mail address.
func (r *roster) byEmail(list *snapshot, email string) (user takaro.User, listed bool) {
	r.cache.Read(list, func(rows *rows) { user, listed = rows.users[rows.emails[strings.ToLower(email)]] })
	return user, listed
}

// size returns the number of users in the list, and how many of them are dashboard users.
func (r *roster) size(list *snapshot) (total, dashboards int) {
	r.cache.Read(list, func(rows *rows) {
		for _, user := range rows.users {
			if user.IsDashboardUser {
				dashboards++
			}
		}
		total = len(rows.users)
	})
	return total, dashboards
}

// put records the state of a user that Takaro returned for a request.
func (r *roster) put(at parts.Place, user *takaro.User) { r.cache.Put(at, user.ID, *user) }

// remove records that a user was deleted.
func (r *roster) remove(at parts.Place, id string) { r.cache.Remove(at, id) }

// forget removes the list of a domain that contradicted another response of Takaro.
func (r *roster) forget(at parts.Place) {
	r.cache.Forget(at)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.roles, at)
}

// retain removes the lists of domains that are no longer used.
func (r *roster) retain(used map[parts.Place]bool) {
	r.cache.Retain(used)
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.roles, func(at parts.Place, _ *roleList) bool { return !used[at] })
}
