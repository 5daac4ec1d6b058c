// SPDX-License-Identifier: Apache-2.0

package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

func TestMadeTwice(t *testing.T) {
	user := takaro.User{Email: "a@example.com"}
	server := takaro.GameServer{IdentityToken: "0a1b2c3d-x-0"}
	one(t, "", Twice, MadeTwice([]takaro.Domain{{ID: "1", Name: "a", Users: []takaro.User{user}}, {ID: "2", Name: "b",
		Users: []takaro.User{user}}}))
	one(t, "1 and 2 are both named a", Twice, MadeTwice([]takaro.Domain{{ID: "1", Name: "a"}, {ID: "2", Name: "a"}}))
	one(t, "two users with e-mail a@example.com", Twice, MadeTwice([]takaro.Domain{{Users: []takaro.User{user, {Email: "A@example.com"}}}}))
	one(t, "two game servers with identity 0a1b2c3d-x-0", Twice,
		MadeTwice([]takaro.Domain{{GameServers: []takaro.GameServer{server, server}}}))
}

func at(seconds int) time.Time {
	return time.Date(2026, 1, 1, 12, 0, seconds, 0, time.UTC)
}

func TestReplaced(t *testing.T) {
	seen := func(ids ...string) []Seen {
		var all []Seen
		for i, id := range ids {
			all = append(all, Seen{ID: id, At: at(10 * i)})
		}
		return all
	}
	lost := Lapse{At: at(5), Lost: map[string]bool{"1": true}}
	returned := Lapse{At: at(6), Returned: map[string]bool{"1": true}}
	one(t, "", Twice, Replaced("Domain ns/a", seen("1", "1"), nil))
	one(t, "Ready with 1, then with 2", Twice, Replaced("Domain ns/a", seen("1", "1", "2"), nil))
	one(t, "", Twice, Replaced("Domain ns/a", seen("1", "2"), Lapses{lost}))
	one(t, "Ready with 1, then with 2", Twice, Replaced("Domain ns/a", seen("1", "2"), Lapses{lost, returned}))
	late := lost
	late.At = at(11)
	one(t, "Ready with 1, then with 2", Twice, Replaced("Domain ns/a", seen("1", "2"), Lapses{late}))
}

func TestForeignTouched(t *testing.T) {
	planted := takaro.Domain{ID: "1", Name: "foreign", State: "ACTIVE", ExternalReference: "r", Users: []takaro.User{{Email: "root@1.com"}}}
	change := func(how func(*takaro.Domain)) []takaro.Domain {
		changed := planted
		how(&changed)
		return []takaro.Domain{{ID: "2"}, changed}
	}
	disabled := change(func(d *takaro.Domain) { d.State = "DISABLED" })
	given := change(func(d *takaro.Domain) { d.ExternalReference = "other" })
	for name, c := range map[string]struct {
		now    []takaro.Domain
		shared bool
		want   string
	}{
		"as it was":             {change(func(*takaro.Domain) {}), false, ""},
		"deleted":               {[]takaro.Domain{{ID: "2"}}, false, "1 (foreign) was deleted"},
		"disabled":              {disabled, false, "was changed: foreign DISABLED"},
		"emptied":               {change(func(d *takaro.Domain) { d.Users = nil }), false, "are 0 users"},
		"shared and changed":    {disabled, true, ""},
		"shared and deleted":    {nil, true, "1 (foreign) was deleted"},
		"shared and taken over": {given, true, "reference other"},
	} {
		t.Run(name, func(t *testing.T) {
			one(t, c.want, Foreign, ForeignTouched(Outside{Domains: c.now, Planted: []Planted{{Domain: planted, Shared: c.shared}}}))
		})
	}
}

func TestLeftBehind(t *testing.T) {
	planted := []Planted{{Domain: takaro.Domain{ID: "0", Name: "foreign"}}}
	owner := Object{Key: domainKey("a"), UID: "d", Name: "ns-a"}
	user := Object{Key: userKey("u"), UID: "u", Domain: "a", Email: "u@example.com"}
	mock := Object{Key: userKey("m"), UID: "m", Domain: "a"}
	domain := takaro.Domain{ID: "1", Name: "ns-a", Users: []takaro.User{{Email: "root@1.com"}, {ID: "7", Email: "U@example.com"}},
		GameServers: []takaro.GameServer{{ID: "9", IdentityToken: Mark("m") + "-m-0"}}}
	outside := Outside{Domains: []takaro.Domain{domain}, Planted: planted}
	one(t, "", Left, LeftBehind([]Object{owner, user, mock}, nil, nil, Outside{Domains: []takaro.Domain{planted[0].Domain,
		domain}, Planted: planted}))
	one(t, "Takaro domain 1 (ns-a, reference ) has no Domain", Left, LeftBehind([]Object{user, mock}, nil, nil, outside))
	one(t, "", Left, LeftBehind([]Object{user, mock}, nil, map[string]bool{"ns-a": true}, outside))
	one(t, "user U@example.com of Takaro domain 1", Left, LeftBehind([]Object{owner, mock}, nil, nil, outside))
	one(t, "game server", Left, LeftBehind([]Object{owner, user}, nil, nil, outside))

	// Takaro brought them back after their owners were deleted, or long before that.
	outside.Lapses = Lapses{{At: at(0), Returned: map[string]bool{"1": true, "7": true, "9": true}}}
	ended := func(seconds int, all ...Object) (found []Ended) {
		for _, object := range all {
			found = append(found, Ended{Object: object, At: at(seconds)})
		}
		return found
	}
	one(t, "", Left, LeftBehind(nil, ended(-5, owner), nil, outside))
	one(t, "", Left, LeftBehind([]Object{owner}, ended(-5, user, mock), nil, outside))
	one(t, "Takaro domain 1", Left, LeftBehind(nil, ended(60, owner), nil, outside))
	one(t, "user U@example.com", Left, LeftBehind([]Object{owner}, append(ended(60, user), ended(0, mock)...), nil, outside))
}

func TestKept(t *testing.T) {
	active, disabled := takaro.Domain{ID: "1", State: takaro.StateActive}, takaro.Domain{ID: "1", State: takaro.StateDisabled}
	ended := func(policy string) []Ended {
		return []Ended{{Object: Object{Key: domainKey("a"), OutsideID: "1", Policy: policy}, At: at(0)}}
	}
	lost, earlier := Lapse{At: at(5), Lost: map[string]bool{"1": true}}, Lapse{At: at(0).Add(-2 * Aftermath)}
	for name, c := range map[string]struct {
		policy  string
		domains []takaro.Domain
		lapses  Lapses
		want    string
	}{
		"Delete":                    {"Delete", nil, nil, ""},
		"Retain, and it exists":     {Retain, []takaro.Domain{active}, nil, ""},
		"Retain, and it does not":   {Retain, nil, Lapses{earlier}, "Takaro domain 1 of Domain ns/a was deleted"},
		"Retain, and Takaro forgot": {Retain, nil, Lapses{lost}, ""},
		"Disable, and it is":        {Disable, []takaro.Domain{disabled}, nil, ""},
		"Disable, and it is not":    {Disable, []takaro.Domain{active}, Lapses{earlier}, "is ACTIVE, and the deletion policy was Disable"},
		"Disable, and rolled back":  {Disable, []takaro.Domain{active}, Lapses{{At: at(5)}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			one(t, c.want, Discarded, Kept(ended(c.policy), Outside{Domains: c.domains, Lapses: c.lapses}))
		})
	}
	interrupted := ended(Retain)
	interrupted[0].Unused = true
	one(t, "", Discarded, Kept(interrupted, Outside{Lapses: Lapses{earlier}}))
}

func TestLeftInRedis(t *testing.T) {
	mock := Object{Key: userKey("m"), UID: "m"}
	logins := []string{"default", "roadstead-" + Mark("m")}
	keys := []string{"other", "gameserver:" + Mark("m") + "-m-0"}
	one(t, "", Left, LeftInRedis([]Object{mock}, logins, keys))
	one(t, "", Left, LeftInRedis([]Object{mock}, []string{"roadstead-" + Mark("m")[:8]}, nil))
	one(t, "Redis user roadstead-"+Mark("m"), Left, LeftInRedis(nil, logins, nil))
	one(t, "Redis key gameserver:"+Mark("m")+"-m-0", Left, LeftInRedis(nil, nil, keys))
}

func TestUntrue(t *testing.T) {
	domain := &takaro.Domain{ID: "1", Name: "ns-a", MaxGameServers: 5, HasRoot: true,
		Users: []takaro.User{{ID: "7", Roles: []string{"Admin"}}}, GameServers: []takaro.GameServer{{ID: "9"}}}
	ready := Object{Key: domainKey("a"), Ready: "True", Name: "ns-a", MaxGameServers: 5}
	user := Object{Key: userKey("u"), Ready: "True", OutsideID: "7", Roles: []string{"Admin"}}
	mock := Object{Ready: "True", Servers: []string{"9"}, Replicas: 1}
	mock.Key.Kind = MockServer
	change := func(o Object, how func(*Object)) Object { how(&o); return o }
	for name, c := range map[string]struct {
		object Object
		domain *takaro.Domain
		want   []string
	}{
		"Domain":        {ready, domain, nil},
		"User":          {user, domain, nil},
		"MockServer":    {mock, domain, nil},
		"not Ready":     {change(ready, func(o *Object) { o.Ready = "False" }), nil, nil},
		"being deleted": {change(ready, func(o *Object) { o.Deleting = true }), nil, nil},
		"no domain":     {change(ready, func(o *Object) { o.DomainID = "3" }), nil, []string{`there is no Takaro domain "3"`}},
		"another name":  {change(ready, func(o *Object) { o.Name = "b" }), domain, []string{"Takaro domain 1 is named ns-a"}},
		"another limit": {change(ready, func(o *Object) { o.MaxGameServers = 6 }), domain,
			[]string{"Takaro domain 1 takes 5 game servers, not 6"}},
		"no root":      {ready, &takaro.Domain{ID: "1", Name: "ns-a", MaxGameServers: 5}, []string{"Takaro domain 1 has no root user"}},
		"no such user": {change(user, func(o *Object) { o.OutsideID = "8" }), domain, []string{`Takaro domain 1 has no user "8"`}},
		"other roles": {change(user, func(o *Object) { o.Roles = []string{"Moderator"} }), domain,
			[]string{"Takaro user 7 has the roles Admin, not Moderator"}},
		"no such server": {change(mock, func(o *Object) { o.Servers = []string{"8"} }), domain,
			[]string{`Takaro domain 1 has no game server "8"`}},
		"too few servers": {change(mock, func(o *Object) { o.Replicas = 2 }), domain,
			[]string{"the status tells of 1 game servers, the spec of 2"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Untrue(c.object, c.domain)) })
	}
}

func TestLies(t *testing.T) {
	first := Object{Key: domainKey("a"), UID: "u", Version: "1", Ready: "True"}
	changed, gone := first, first
	changed.Version = "2"
	gone.Deleting = true
	one(t, "says that it is Ready (version 1): wrong", NotReady, Lies(first, first, []string{"wrong", "on its way"}, []string{"wrong"}))
	one(t, "", NotReady, Lies(first, first, []string{"wrong"}, nil))
	one(t, "", NotReady, Lies(first, changed, []string{"wrong"}, []string{"wrong"}))
	one(t, "", NotReady, Lies(first, gone, []string{"wrong"}, []string{"wrong"}))
}

func TestGuarded(t *testing.T) {
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	away := []Span{{begin.Add(time.Second), begin.Add(2 * time.Second)}}
	at := func(seconds int, change func(*Attempt)) []Attempt {
		a := Attempt{CRD: "w", Begin: begin.Add(time.Duration(seconds) * time.Second),
			End: begin.Add(time.Duration(seconds)*time.Second + 100*time.Millisecond)}
		change(&a)
		return []Attempt{a}
	}
	one(t, "", Guard, Guarded(at(0, func(a *Attempt) { a.Refused = true }), away))
	one(t, "passed at 12:00:00, and the guard was there", Guard, Guarded(at(0, func(a *Attempt) { a.Passed = true }), away))
	one(t, "", Guard, Guarded(at(1, func(a *Attempt) { a.Passed, a.Seen, a.Told = true, true, 1 }), away))
	one(t, "is not told as missed", Guard, Guarded(at(1, func(a *Attempt) { a.Passed, a.Seen = true, true }), away))
	one(t, "", Guard, Guarded(at(1, func(a *Attempt) { a.Passed = true }), away))
	one(t, "is told as missed 2 times", Guard, Guarded(at(1, func(a *Attempt) { a.Passed, a.Seen, a.Told = true, true, 2 }), away))
	one(t, "though it did not pass", Guard, Guarded(at(0, func(a *Attempt) { a.Refused, a.Told = true, 1 }), away))
	one(t, "a harmless change", Guard, Guarded(at(0, func(a *Attempt) { a.Harmless, a.Refused = true, true }), away))
	one(t, "", Guard, Guarded(at(0, func(a *Attempt) { a.Harmless, a.Passed = true, true }), away))
}
