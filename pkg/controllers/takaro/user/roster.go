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

// snapshotLife is how long a list shows that a user is there. A new one is read every minute, so
// an older one means that Takaro does not answer.
const snapshotLife = 3 * time.Minute

// roster knows the users of Takaro domains by one list each, however many Users there are.
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
	// emails has the ids by lower-case e-mail address, which is one identity to Takaro.
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

// list returns a list that is younger than age; 0 means one that is begun now.
func (r *roster) list(ctx context.Context, at parts.Place, client *takaro.Client, age time.Duration) (*snapshot, error) {
	return r.cache.Younger(ctx, at, age, search(at, client))
}

// refresh reads a list. Callers at the same time share one.
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

// size returns how many users the list has, and how many of them are dashboard users.
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

// put notes the state of a user that Takaro returned for a request.
func (r *roster) put(at parts.Place, user *takaro.User) { r.cache.Put(at, user.ID, *user) }

// remove notes that a user was deleted.
func (r *roster) remove(at parts.Place, id string) { r.cache.Remove(at, id) }

// forget drops what is known of a domain whose answers did not agree with it.
func (r *roster) forget(at parts.Place) {
	r.cache.Forget(at)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.roles, at)
}

// retain forgets the domains that nobody uses any more.
func (r *roster) retain(used map[parts.Place]bool) {
	r.cache.Retain(used)
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.roles, func(at parts.Place, _ *roleList) bool { return !used[at] })
}
