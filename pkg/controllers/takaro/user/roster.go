// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/takaro"
)

// snapshotLife is how long a list shows that a user is there. It is taken anew every minute, so an older one means trouble.
const snapshotLife = 3 * time.Minute

// place is a domain of an endpoint.
type place struct {
	endpoint endpoint.Key
	domainID string
}

// roster knows the users of Takaro domains by one list each, however many Users there are.
type roster struct {
	clock clock.PassiveClock

	mu      sync.Mutex
	lists   map[place]*snapshot
	roles   map[place]*roleList
	writes  map[place]map[string]write
	flights singleflight.Group
}

// snapshot is a list of users by lower-case e-mail, which is one identity to Takaro.
type snapshot struct {
	taken time.Time
	users map[string]takaro.User
}

// write is what Takaro answered to a request of ours; user is nil when it is gone. It counts against a list that was begun
// before it.
type write struct {
	at   time.Time
	user *takaro.User
}

func newRoster(clock clock.PassiveClock) *roster {
	return &roster{clock: clock, lists: map[place]*snapshot{}, roles: map[place]*roleList{}, writes: map[place]map[string]write{}}
}

// find returns the user with an e-mail, nil when there is none, by a list that is younger than age; 0 means one that is
// begun now.
func (r *roster) find(ctx context.Context, at place, client *takaro.Client, email string, age time.Duration) (*takaro.User, error) {
	list := r.current(at)
	if list == nil || age == 0 || r.clock.Since(list.taken) >= age {
		var err error
		if list, err = r.refreshSince(ctx, at, client, r.clock.Now()); err != nil {
			return nil, err
		}
	}
	return r.in(list, email), nil
}

func (r *roster) current(at place) *snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists[at]
}

// in returns a copy of the user with an e-mail.
func (r *roster) in(list *snapshot, email string) *takaro.User {
	r.mu.Lock()
	defer r.mu.Unlock()
	if user, ok := list.users[strings.ToLower(email)]; ok {
		return &user
	}
	return nil
}

// refreshSince takes a list that is begun at a time or later: one that others are taking may have been begun before.
func (r *roster) refreshSince(ctx context.Context, at place, client *takaro.Client, since time.Time) (*snapshot, error) {
	for {
		list, err := r.refresh(ctx, at, client)
		if err != nil || !list.taken.Before(since) {
			return list, err
		}
	}
}

// refresh takes a list. Callers at the same time share one.
func (r *roster) refresh(ctx context.Context, at place, client *takaro.Client) (*snapshot, error) {
	value, err, _ := r.flights.Do(string(at.endpoint[:])+at.domainID, func() (any, error) {
		list := &snapshot{taken: r.clock.Now(), users: map[string]takaro.User{}}
		users, err := client.SearchUsers(ctx, at.domainID)
		if err != nil {
			return nil, err
		}
		for _, user := range users {
			list.users[strings.ToLower(user.Email)] = user
		}
		r.install(at, list)
		return list, nil
	})
	list, _ := value.(*snapshot)
	return list, err
}

// install makes a list the current one, corrected by what we wrote while it was read.
func (r *roster) install(at place, list *snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for email, write := range r.writes[at] {
		if write.at.Before(list.taken) {
			delete(r.writes[at], email)
			continue
		}
		list.apply(email, write.user)
	}
	r.lists[at] = list
}

func (s *snapshot) apply(email string, user *takaro.User) {
	if user == nil {
		delete(s.users, email)
		return
	}
	s.users[email] = *user
}

// put notes what Takaro answered to a request of ours.
func (r *roster) put(at place, user *takaro.User) {
	copied := *user
	r.wrote(at, user.Email, &copied)
}

// remove notes that a user is gone.
func (r *roster) remove(at place, email string) { r.wrote(at, email, nil) }

func (r *roster) wrote(at place, email string, user *takaro.User) {
	email = strings.ToLower(email)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writes[at] == nil {
		r.writes[at] = map[string]write{}
	}
	r.writes[at][email] = write{at: r.clock.Now(), user: user}
	if list := r.lists[at]; list != nil {
		list.apply(email, user)
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

// retain forgets the domains that nobody asks about any more.
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
