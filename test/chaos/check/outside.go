// SPDX-License-Identifier: Apache-2.0

package check

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

// Mark8 is by which Takaro and Redis know a MockServer: the first 8 hex digits of SHA-256 of its UID.
func Mark8(uid string) string {
	sum := sha256.Sum256([]byte(uid))
	return hex.EncodeToString(sum[:])[:8]
}

// MadeTwice looks for two outside objects of one owner at one moment. Every Domain of a run has a Takaro name of its own.
func MadeTwice(domains []takaro.Domain) []Violation {
	var found []Violation
	names := map[string]string{}
	for _, domain := range domains {
		if other := names[domain.Name]; other != "" {
			found = append(found, breach(Twice, "the Takaro domains %s and %s are both named %s, of which there is one Domain", other, domain.ID, domain.Name))
		}
		names[domain.Name] = domain.ID
		users, servers := map[string]bool{}, map[string]bool{}
		for _, user := range domain.Users {
			email := strings.ToLower(user.Email)
			if users[email] {
				found = append(found, breach(Twice, "Takaro domain %s (%s) has two users with e-mail %s", domain.ID, domain.Name, email))
			}
			users[email] = true
		}
		for _, server := range domain.GameServers {
			if servers[server.IdentityToken] {
				found = append(found, breach(Twice, "Takaro domain %s (%s) has two game servers with identity %s", domain.ID, domain.Name, server.IdentityToken))
			}
			servers[server.IdentityToken] = true
		}
	}
	return found
}

// ForeignTouched compares what others planted with what is there.
func ForeignTouched(planted, now []takaro.Domain) []Violation {
	var found []Violation
	for _, foreign := range planted {
		i := slices.IndexFunc(now, func(d takaro.Domain) bool { return d.ID == foreign.ID })
		switch {
		case i < 0:
			found = append(found, breach(Foreign, "the foreign Takaro domain %s (%s) is gone", foreign.ID, foreign.Name))
		case now[i].Name != foreign.Name || now[i].State != foreign.State || now[i].ExternalReference != foreign.ExternalReference || now[i].MaxGameServers != foreign.MaxGameServers:
			found = append(found, breach(Foreign, "the foreign Takaro domain %s (%s) was changed: %s %s, reference %s, %d game servers", foreign.ID, foreign.Name,
				now[i].Name, now[i].State, now[i].ExternalReference, now[i].MaxGameServers))
		case len(now[i].Users) != len(foreign.Users) || len(now[i].GameServers) != len(foreign.GameServers):
			found = append(found, breach(Foreign, "in the foreign Takaro domain %s (%s) are %d users and %d game servers", foreign.ID, foreign.Name, len(now[i].Users), len(now[i].GameServers)))
		}
	}
	return found
}

// Replaced tells of outside objects that were made again though the owner was Ready with them: ids are those of one owner, in
// the order in which it was Ready with them.
func Replaced(owner string, ids []string) []Violation {
	ids = slices.Compact(slices.Clone(ids))
	if len(ids) < 2 {
		return nil
	}
	return []Violation{breach(Twice, "%s was Ready with %s, one after the other, and nobody removed one in Takaro", owner, strings.Join(ids, " and "))}
}

func marksOf(final []Object) map[string]bool {
	marks := map[string]bool{}
	for _, object := range final {
		marks[Mark8(object.UID)] = true
	}
	return marks
}

// LeftInRedis looks for users and keys of MockServers that are gone.
func LeftInRedis(final []Object, logins, keys []string) []Violation {
	var found []Violation
	marks := marksOf(final)
	for _, login := range logins {
		if mark, ours := strings.CutPrefix(login, "roadstead-"); ours && !marks[mark] {
			found = append(found, breach(Left, "the Redis user %s has no MockServer any more", login))
		}
	}
	for _, key := range keys {
		rest, ours := strings.CutPrefix(key, "gameserver:")
		if mark, _, _ := strings.Cut(rest, "-"); ours && !marks[mark] {
			found = append(found, breach(Left, "the Redis key %s has no MockServer any more", key))
		}
	}
	return found
}

// LeftBehind looks for objects in Takaro without an owner. Planted ones are not ours.
func LeftBehind(final []Object, planted, domains []takaro.Domain) []Violation {
	var found []Violation
	marks := marksOf(final)
	for _, domain := range domains {
		if slices.ContainsFunc(planted, func(d takaro.Domain) bool { return d.ID == domain.ID }) {
			continue
		}
		owner := slices.IndexFunc(final, func(o Object) bool { return o.Key.Kind == Domain && o.Name == domain.Name })
		if owner < 0 {
			found = append(found, breach(Left, "Takaro domain %s (%s, reference %s) has no Domain any more", domain.ID, domain.Name, domain.ExternalReference))
			continue
		}
		found = append(found, leftInside(final, final[owner], domain, marks)...)
	}
	return found
}

func leftInside(final []Object, owner Object, domain takaro.Domain, marks map[string]bool) []Violation {
	var found []Violation
	for _, user := range domain.Users {
		if user.Email == "root@"+domain.ID+".com" {
			continue
		}
		if !slices.ContainsFunc(final, func(o Object) bool {
			return o.Key.Kind == User && o.Key.Namespace == owner.Key.Namespace && o.Domain == owner.Key.Name && strings.EqualFold(o.Email, user.Email)
		}) {
			found = append(found, breach(Left, "user %s of Takaro domain %s (%s) has no User any more", user.Email, domain.ID, domain.Name))
		}
	}
	for _, server := range domain.GameServers {
		if mark, _, _ := strings.Cut(server.IdentityToken, "-"); !marks[mark] {
			found = append(found, breach(Left, "game server %s (%s) of Takaro domain %s (%s) has no MockServer any more", server.Name, server.IdentityToken, domain.ID, domain.Name))
		}
	}
	return found
}
