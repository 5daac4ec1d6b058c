// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"time"

	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const (
	// roleLife is the maximum age of a list of roles that proves that a role exists. If the role
	// was deleted since, the assignment fails.
	roleLife = time.Minute
	// missingRoleLife is the maximum age of a list that proves that a role does not exist. It is
	// short because users often create the role just before the User.
	missingRoleLife = time.Second
)

// roleList contains the ids of a domain's roles by name.
type roleList struct {
	taken time.Time
	ids   map[string]string
}

// rolesOf returns the ids of a domain's roles by name, from a list that is recent enough for the
// wanted roles.
func (r *roster) rolesOf(ctx context.Context, at parts.Place, client *takaro.Client, wanted []string) (map[string]string, error) {
	r.mu.Lock()
	list := r.roles[at]
	r.mu.Unlock()
	if list != nil && r.clock.Since(list.taken) < list.life(wanted) {
		return list.ids, nil
	}
	taken := r.clock.Now()
	list, err := r.roleFlights.Do(ctx, at, func(ctx context.Context) (*roleList, error) {
		roles, err := client.SearchRoles(ctx, at.DomainID)
		if err != nil {
			return nil, err
		}
		list := &roleList{taken: taken, ids: map[string]string{}}
		for _, role := range roles {
			list.ids[role.Name] = role.ID
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.roles[at] = list
		return list, nil
	})
	if err != nil {
		return nil, err
	}
	return list.ids, nil
}

func (l *roleList) life(wanted []string) time.Duration {
	for _, name := range wanted {
		if _, ok := l.ids[name]; !ok {
			return missingRoleLife
		}
	}
	return roleLife
}
