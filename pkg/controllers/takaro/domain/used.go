// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"

	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// rootUserName is the name of the user that Takaro creates with each domain.
const rootUserName = "root"

// used reports whether a domain that looks like the result of an interrupted create was used.
// Takaro does not record that, so any of these signs counts: the domain was updated after the
// longest possible create; it has a user other than root; it has a game server. A domain without a
// root user serves no request, so it cannot have been used.
func (r *reconciler) used(ctx context.Context, a *attempt, record *takaro.Domain) (bool, error) {
	if record.UpdatedAt.Sub(record.CreatedAt) > ownership.CreateWindow {
		return true, nil
	}
	whole, err := a.Client.HasRootUser(ctx, record.ID)
	if err != nil {
		return false, r.judge(a, "checking whether the domain is in use", err)
	}
	if !whole {
		return false, nil
	}
	users, err := a.Client.SearchUsers(ctx, record.ID)
	if err != nil {
		return false, r.judge(a, "checking whether the domain is in use", err)
	}
	for _, user := range users {
		if user.Name != rootUserName {
			return true, nil
		}
	}
	if record.State != takaro.StateActive {
		return false, nil // Takaro rejects the search
	}
	servers, err := a.Client.SearchGameServers(ctx, record.ID)
	if err != nil {
		return false, r.judge(a, "checking whether the domain is in use", err)
	}
	return len(servers) > 0, nil
}
