// SPDX-License-Identifier: Apache-2.0

package check

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

// markSize is the number of hex digits of a mark, and earlierMarkSize that in MockServers of
// releases without a ledger.
const (
	markSize        = 20
	earlierMarkSize = 8
)

// Mark returns the mark of a MockServer in Takaro and Redis: the first hex digits of SHA-256 of its
// UID.
func Mark(uid string) string { return digest(uid)[:markSize] }

func digest(uid string) string {
	sum := sha256.Sum256([]byte(uid))
	return hex.EncodeToString(sum[:])
}

// marked reports whether the mark is that of the object.
func marked(o Object, mark string) bool {
	return (len(mark) == markSize || len(mark) == earlierMarkSize) && strings.HasPrefix(digest(o.UID), mark)
}

// MadeTwice returns violations for owners with more than one outside object at one moment. Every
// Domain of a run has a unique Takaro name.
func MadeTwice(domains []takaro.Domain) []Violation {
	var found []Violation
	names := map[string]string{}
	for _, domain := range domains {
		if other := names[domain.Name]; other != "" {
			found = append(found, breach(Twice, "the Takaro domains %s and %s are both named %s, of which there is one Domain",
				other, domain.ID, domain.Name))
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
				found = append(found, breach(Twice, "Takaro domain %s (%s) has two game servers with identity %s", domain.ID,
					domain.Name, server.IdentityToken))
			}
			servers[server.IdentityToken] = true
		}
	}
	return found
}

// ForeignTouched returns violations for foreign domains that were changed or deleted.
func ForeignTouched(outside Outside) []Violation {
	var found []Violation
	for _, foreign := range outside.Planted {
		now := find(outside.Domains, foreign.ID)
		switch {
		case now == nil:
			found = append(found, breach(Foreign, "the foreign Takaro domain %s (%s) was deleted", foreign.ID, foreign.Name))
		case foreign.Shared && now.ExternalReference == foreign.ExternalReference:
		case now.Name != foreign.Name || now.State != foreign.State || now.ExternalReference != foreign.ExternalReference ||
			now.MaxGameServers != foreign.MaxGameServers:
			found = append(found, breach(Foreign, "the foreign Takaro domain %s (%s) was changed: %s %s, reference %s, %d game servers",
				foreign.ID, foreign.Name, now.Name, now.State, now.ExternalReference, now.MaxGameServers))
		case len(now.Users) != len(foreign.Users) || len(now.GameServers) != len(foreign.GameServers):
			found = append(found, breach(Foreign, "in the foreign Takaro domain %s (%s) are %d users and %d game servers",
				foreign.ID, foreign.Name, len(now.Users), len(now.GameServers)))
		}
	}
	return found
}

// Seen is an outside object with which an owner was Ready.
type Seen struct {
	ID string
	At time.Time
}

// Replaced returns violations for outside objects that were created again although the owner was
// Ready with them and Takaro had not lost them. All belong to one owner, in the order in which it
// was Ready with them.
func Replaced(owner string, all []Seen, lapses Lapses) []Violation {
	var found []Violation
	for i := 1; i < len(all); i++ {
		former, now := all[i-1], all[i]
		if former.ID != now.ID && !lapses.Lost(former.ID, now.At) {
			found = append(found, breach(Twice, "%s was Ready with %s, then with %s, and nobody removed the former in Takaro",
				owner, former.ID, now.ID))
		}
	}
	return found
}

func owned(final []Object, mark string) bool {
	return slices.ContainsFunc(final, func(o Object) bool { return marked(o, mark) })
}

// LeftInRedis returns violations for users and keys of MockServers that no longer exist.
func LeftInRedis(final []Object, logins, keys []string) []Violation {
	var found []Violation
	for _, login := range logins {
		if mark, ours := strings.CutPrefix(login, "roadstead-"); ours && !owned(final, mark) {
			found = append(found, breach(Left, "the Redis user %s has no MockServer any more", login))
		}
	}
	for _, key := range keys {
		rest, ours := strings.CutPrefix(key, "gameserver:")
		if mark, _, _ := strings.Cut(rest, "-"); ours && !owned(final, mark) {
			found = append(found, breach(Left, "the Redis key %s has no MockServer any more", key))
		}
	}
	return found
}

// LeftBehind returns violations for objects in Takaro without an owner. Ended are the owners that
// were deleted, and kept the Takaro names of Domains whose deletion policy retains the domain.
func LeftBehind(final []Object, ended []Ended, kept map[string]bool, outside Outside) []Violation {
	var found []Violation
	for _, domain := range outside.Domains {
		named := func(o Object) bool { return o.Key.Kind == Domain && o.Name == domain.Name }
		owner := slices.IndexFunc(final, named)
		switch {
		case outside.planted(domain.ID), owner < 0 && kept[domain.Name]:
		case owner >= 0:
			found = append(found, leftInside(final, ended, final[owner], domain, outside)...)
		case !outside.stray(domain.ID, ended, named):
			found = append(found, breach(Left, "Takaro domain %s (%s, reference %s) has no Domain any more", domain.ID, domain.Name,
				domain.ExternalReference))
		}
	}
	return found
}

func leftInside(final []Object, ended []Ended, owner Object, domain takaro.Domain, outside Outside) []Violation {
	var found []Violation
	for _, user := range domain.Users {
		ours := func(o Object) bool {
			return o.Key.Kind == User && o.Key.Namespace == owner.Key.Namespace && o.Domain == owner.Key.Name &&
				strings.EqualFold(o.Email, user.Email)
		}
		if user.Email != "root@"+domain.ID+".com" && !slices.ContainsFunc(final, ours) && !outside.stray(user.ID, ended, ours) {
			found = append(found, breach(Left, "user %s of Takaro domain %s (%s) has no User any more", user.Email, domain.ID, domain.Name))
		}
	}
	for _, server := range domain.GameServers {
		mark, _, _ := strings.Cut(server.IdentityToken, "-")
		if !owned(final, mark) && !outside.stray(server.ID, ended, func(o Object) bool { return marked(o, mark) }) {
			found = append(found, breach(Left, "game server %s (%s) of Takaro domain %s (%s) has no MockServer any more", server.Name,
				server.IdentityToken, domain.ID, domain.Name))
		}
	}
	return found
}
