// SPDX-License-Identifier: Apache-2.0

package check

import (
	"testing"
	"time"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

func TestPending(t *testing.T) {
	domains := []takaro.Domain{{ID: "1", Name: "ns-a", HasRoot: true, GameServers: []takaro.GameServer{{ID: "9", Name: "m"}}}}
	theirs := takaro.Domain{ID: "0", ExternalReference: "theirs"}
	outside := Outside{Domains: append(domains, theirs), Planted: []Planted{{Domain: theirs}}}
	owner := Object{Key: domainKey("a"), Ready: "True", Name: "ns-a", DomainID: "1"}
	claims := Object{Key: domainKey("c"), Ready: "False", Reason: "ExternalReferenceTaken", Reference: "theirs"}
	mock := Object{Ready: "True", Domain: "a", DomainID: "1", Servers: []string{"9"}, Replicas: 1}
	mock.Key = userKey("m")
	mock.Key.Kind = MockServer
	change := func(o Object, how func(*Object)) Object { how(&o); return o }
	for name, c := range map[string]struct {
		final       []Object
		terminating []string
		want        string
	}{
		"nothing":       {},
		"all is Ready":  {[]Object{owner, claims}, nil, ""},
		"being deleted": {[]Object{change(owner, func(o *Object) { o.Deleting = true })}, nil, "still being deleted"},
		"not Ready": {[]Object{change(owner, func(o *Object) { o.Ready, o.Reason = "False", "RequestFailed" })}, nil,
			"is not Ready: False RequestFailed"},
		"Ready and not": {[]Object{change(owner, func(o *Object) { o.Name = "other" })}, nil, "is named ns-a"},
		"a claim that is Ready": {[]Object{change(claims, func(o *Object) { o.Ready, o.Reason = "True", "AsSpecified" })}, nil,
			"does not say ExternalReferenceTaken"},
		"no Domain, and says so": {[]Object{{Key: userKey("u"), Domain: "z", Ready: "False", Reason: "DomainNotFound"}}, nil, ""},
		"no Domain, and Ready":   {[]Object{{Key: userKey("u"), Domain: "z", Ready: "True"}}, nil, "does not say DomainNotFound"},
		"in a claim":             {[]Object{claims, {Key: userKey("u"), Domain: "c", Ready: "False"}}, nil, ""},
		"Ready in a claim": {[]Object{claims, {Key: userKey("u"), Domain: "c", Ready: "True"}}, nil,
			"is Ready in a Domain that has no Takaro domain"},
		"a server is not reached":  {[]Object{owner, mock}, nil, "game server m is not reachable"},
		"a namespace that remains": {nil, []string{"ns"}, "namespace ns is still being deleted"},
	} {
		t.Run(name, func(t *testing.T) { one(t, c.want, Unsettled, Pending(c.final, c.terminating, outside)) })
	}
}

func TestBusy(t *testing.T) {
	times := func(count int, every time.Duration) []time.Time {
		var all []time.Time
		for i := range count {
			all = append(all, time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(i)*every))
		}
		return all
	}
	one(t, "", HotLoop, Busy("x", nil))
	one(t, "", HotLoop, Busy("x", times(Most, time.Millisecond)))
	one(t, "", HotLoop, Busy("x", times(1000, time.Second)))
	one(t, "x: 61 times within 54s, from 12:00:00 on", HotLoop, Busy("x", times(100, 900*time.Millisecond)))
	one(t, "", HotLoop, Busy("x", append(times(Most, time.Second), times(Most, time.Second)...)))
	one(t, "x: 61 times within 54s", HotLoop, Busy("x", append(times(10, time.Second), times(100, 900*time.Millisecond)...)))
}

func TestCrashed(t *testing.T) {
	one(t, "", Crash, Crashed("p", []byte(`{"msg":"Starting"}`+"\nno panic: here")))
	one(t, "p: panic: nil map", Crash, Crashed("p", []byte("{}\npanic: nil map\n\ngoroutine 1")))
	one(t, "Observed a panic", Crash, Crashed("p", []byte(`{"msg":"Observed a panic","controller":"domain"}`)))
}
