// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/base/flight"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// snapshotLife is how long a list shows that a user is there. A new one is read every minute, so
// an older one means that Takaro does not answer.
const snapshotLife = 3 * time.Minute

// place is a domain of an endpoint.
type place struct {
	endpoint endpoint.Key
	domainID string
}

// roster knows the users of Takaro domains by one list each, however many Users there are.
type roster struct {
	clock clock.PassiveClock

	mu     sync.Mutex
	lists  map[place]*snapshot
	roles  map[place]*roleList
	writes map[place]map[string]write

	flights     flight.Group[place, *snapshot]
	roleFlights flight.Group[place, *roleList]
}

// snapshot is a complete list of users by id.
type snapshot struct {
	taken time.Time
	users map[string]takaro.User
	// emails has the ids by lower-case e-mail address, which is one identity to Takaro.
	emails map[string]string
}

// write is the state of a user after a request, nil if it was deleted. It overrides a list that was
// begun before.
type write struct {
	at   time.Time
	user *takaro.User
}

func newRoster(clock clock.PassiveClock) *roster {
	return &roster{clock: clock, lists: map[place]*snapshot{}, roles: map[place]*roleList{}, writes: map[place]map[string]write{}}
}

func newSnapshot(taken time.Time, users []takaro.User) *snapshot {
	list := &snapshot{taken: taken, users: map[string]takaro.User{}, emails: map[string]string{}}
	for i := range users {
		list.apply(users[i].ID, &users[i])
	}
	return list
}

// list returns a list that is younger than age; 0 means one that is begun now.
func (r *roster) list(ctx context.Context, at place, client *takaro.Client, age time.Duration) (*snapshot, error) {
	r.mu.Lock()
	list := r.lists[at]
	r.mu.Unlock()
	if list == nil || age == 0 || r.clock.Since(list.taken) >= age {
		return r.refreshSince(ctx, at, client, r.clock.Now())
	}
	return list, nil
}

// byID returns a copy of the user with the id.
func (r *roster) byID(list *snapshot, id string) (takaro.User, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	user, listed := list.users[id]
	return user, listed
}

// byEmail returns a copy of the user with the e-mail address.
func (r *roster) byEmail(list *snapshot, email string) (takaro.User, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	user, listed := list.users[list.emails[strings.ToLower(email)]]
	return user, listed
}

// size returns how many users the list has, and how many of them are dashboard users.
func (r *roster) size(list *snapshot) (rows, dashboards int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, user := range list.users {
		if user.IsDashboardUser {
			dashboards++
		}
	}
	return len(list.users), dashboards
}

// refreshSince returns a list that was begun at a time or later: one that others are reading may
// have been begun before.
func (r *roster) refreshSince(ctx context.Context, at place, client *takaro.Client, since time.Time) (*snapshot, error) {
	for {
		list, err := r.refresh(ctx, at, client)
		if err != nil || !list.taken.Before(since) {
			return list, err
		}
	}
}

// refresh reads a list. Callers at the same time share one.
func (r *roster) refresh(ctx context.Context, at place, client *takaro.Client) (*snapshot, error) {
	return r.flights.Do(ctx, at, func(ctx context.Context) (*snapshot, error) {
		taken := r.clock.Now()
		users, err := client.SearchUsers(ctx, at.domainID)
		if err != nil {
			return nil, err
		}
		list := newSnapshot(taken, users)
		r.install(at, list)
		return list, nil
	})
}

// install makes a list the current one, with what was written while it was read.
func (r *roster) install(at place, list *snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, write := range r.writes[at] {
		if write.at.Before(list.taken) {
			delete(r.writes[at], id)
			continue
		}
		list.apply(id, write.user)
	}
	r.lists[at] = list
}

func (s *snapshot) apply(id string, user *takaro.User) {
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

// put notes the state of a user that Takaro returned for a request.
func (r *roster) put(at place, user *takaro.User) {
	copied := *user
	r.wrote(at, user.ID, &copied)
}

// remove notes that a user was deleted.
func (r *roster) remove(at place, id string) { r.wrote(at, id, nil) }

func (r *roster) wrote(at place, id string, user *takaro.User) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writes[at] == nil {
		r.writes[at] = map[string]write{}
	}
	r.writes[at][id] = write{at: r.clock.Now(), user: user}
	if list := r.lists[at]; list != nil {
		list.apply(id, user)
	}
}

// forget drops what is known of a domain whose answers did not agree with it.
func (r *roster) forget(at place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.lists, at)
	delete(r.roles, at)
	delete(r.writes, at)
}

// retain forgets the domains that nobody uses any more.
func (r *roster) retain(used map[place]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for at := range r.lists {
		if !used[at] {
			delete(r.lists, at)
			delete(r.writes, at)
		}
	}
	for at := range r.roles {
		if !used[at] {
			delete(r.roles, at)
		}
	}
}
