// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"slices"
	"strings"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

// Untrue returns what an object that reports Ready reports wrongly. It returns nothing for other
// objects. The domain is the one in Takaro that the object is or belongs to, or nil if there is
// none.
func Untrue(object Object, domain *takaro.Domain) []string {
	if !object.IsReady() {
		return nil
	}
	if domain == nil {
		return []string{fmt.Sprintf("there is no Takaro domain %q", object.DomainID)}
	}
	switch object.Key.Kind {
	case Domain:
		return untrueDomain(object, domain)
	case User:
		return untrueUser(object, domain)
	}
	var wrong []string
	if len(object.Servers) != object.Replicas {
		wrong = append(wrong, fmt.Sprintf("the status tells of %d game servers, the spec of %d", len(object.Servers), object.Replicas))
	}
	for _, id := range object.Servers {
		if !slices.ContainsFunc(domain.GameServers, func(g takaro.GameServer) bool { return g.ID == id }) {
			wrong = append(wrong, fmt.Sprintf("Takaro domain %s has no game server %q", domain.ID, id))
		}
	}
	return wrong
}

func untrueDomain(object Object, domain *takaro.Domain) []string {
	var wrong []string
	if domain.Name != object.Name {
		wrong = append(wrong, fmt.Sprintf("Takaro domain %s is named %s", domain.ID, domain.Name))
	}
	if object.MaxGameServers != 0 && domain.MaxGameServers != object.MaxGameServers {
		wrong = append(wrong, fmt.Sprintf("Takaro domain %s takes %d game servers, not %d", domain.ID,
			domain.MaxGameServers, object.MaxGameServers))
	}
	if !domain.HasRoot {
		wrong = append(wrong, fmt.Sprintf("Takaro domain %s has no root user", domain.ID))
	}
	return wrong
}

func untrueUser(object Object, domain *takaro.Domain) []string {
	i := slices.IndexFunc(domain.Users, func(u takaro.User) bool { return u.ID == object.OutsideID })
	if i < 0 {
		return []string{fmt.Sprintf("Takaro domain %s has no user %q", domain.ID, object.OutsideID)}
	}
	have, want := slices.Sorted(slices.Values(domain.Users[i].Roles)), slices.Sorted(slices.Values(object.Roles))
	if !slices.Equal(have, want) {
		return []string{fmt.Sprintf("Takaro user %s has the roles %s, not %s", object.OutsideID, strings.Join(have, ", "),
			strings.Join(want, ", "))}
	}
	return nil
}

// Lies returns a violation if an object reported Ready in two reads without a change in between,
// and a fact was wrong in Takaro before and after. A fact that was wrong only once may have been in
// progress.
func Lies(first, second Object, before, after []string) []Violation {
	if !second.IsReady() || first.UID != second.UID || first.Version != second.Version {
		return nil
	}
	var found []Violation
	for _, wrong := range before {
		if slices.Contains(after, wrong) {
			found = append(found, breach(NotReady, "%s says that it is Ready (version %s): %s", second.Key, second.Version, wrong))
		}
	}
	return found
}
