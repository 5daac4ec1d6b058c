// SPDX-License-Identifier: Apache-2.0

package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/chaos/history"
)

func domainKey(name string) history.Key {
	return history.Key{Kind: Domain, Namespace: "ns", Name: name}
}

func userKey(name string) history.Key { return history.Key{Kind: User, Namespace: "ns", Name: name} }

func acknowledged(id int, key history.Key, verb history.Verb, version string) history.Write {
	return history.Write{ID: id, Key: key, Verb: verb, Outcome: history.Acknowledged, UID: "u-" + key.Name, Version: version}
}

func unknown(id int, key history.Key, verb history.Verb) history.Write {
	return history.Write{ID: id, Key: key, Verb: verb, Outcome: history.Unknown}
}

func stored(key history.Key, mark int) Object {
	return Object{Key: key, UID: "u-" + key.Name, Mark: mark}
}

func TestWrites(t *testing.T) {
	a, u := domainKey("a"), userKey("u")
	owned := acknowledged(2, u, history.Create, "2")
	owned.Domain = "a"
	deleting := stored(a, 1)
	deleting.Deleting = true
	other := stored(a, 1)
	other.UID = "another"
	read := func(mark int, absent bool) history.Write {
		return history.Write{Key: a, Verb: history.Read, Outcome: history.Acknowledged, UID: "u-a", Mark: mark, Absent: absent, To: "3s"}
	}
	gone := history.Write{Key: history.Key{Kind: "Namespace", Namespace: "ns"}, Verb: history.DeleteNamespace, Outcome: history.Acknowledged}
	for name, c := range map[string]struct {
		writes []history.Write
		final  []Object
		want   string
	}{
		"nothing": {},
		"what was acknowledged is there": {[]history.Write{acknowledged(1, a, history.Create, "1"), acknowledged(2, a, history.Change, "2")},
			[]Object{stored(a, 2)}, ""},
		"a create is lost": {[]history.Write{acknowledged(1, a, history.Create, "1")}, nil,
			"write [1] of it was acknowledged, and nobody deleted it"},
		"a change is lost": {[]history.Write{acknowledged(1, a, history.Create, "1"), acknowledged(2, a, history.Change, "2")},
			[]Object{stored(a, 1)}, "holds write 1 at the end, and by what was answered it must hold one of [2]"},
		"an unknown create is there":     {[]history.Write{unknown(1, a, history.Create)}, []Object{stored(a, 1)}, ""},
		"an unknown create is not there": {[]history.Write{unknown(1, a, history.Create)}, nil, ""},
		"an unknown change is there": {[]history.Write{acknowledged(1, a, history.Create, "1"), unknown(2, a, history.Change)},
			[]Object{stored(a, 2)}, ""},
		"an unknown change is not there": {[]history.Write{acknowledged(1, a, history.Create, "1"), unknown(2, a, history.Change)},
			[]Object{stored(a, 1)}, ""},
		"an unknown change before an acknowledged one is over": {
			[]history.Write{acknowledged(1, a, history.Create, "1"), unknown(2, a, history.Change), acknowledged(3, a, history.Change, "3")},
			[]Object{stored(a, 2)}, "must hold one of [3]",
		},
		"a refused create is not there": {[]history.Write{{ID: 1, Key: a, Verb: history.Create, Outcome: history.Refused}}, nil, ""},
		"a refused create is stored": {[]history.Write{{ID: 1, Key: a, Verb: history.Create, Outcome: history.Refused}},
			[]Object{stored(a, 1)}, "holds write 1"},
		"what was deleted is gone": {[]history.Write{acknowledged(1, a, history.Create, "1"), acknowledged(2, a, history.Delete, "")},
			nil, ""},
		"what was deleted is going": {[]history.Write{acknowledged(1, a, history.Create, "1"), acknowledged(2, a, history.Delete, "")},
			[]Object{deleting}, ""},
		"a delete is lost": {[]history.Write{acknowledged(1, a, history.Create, "1"), acknowledged(2, a, history.Delete, "")},
			[]Object{stored(a, 1)}, "is not being deleted at the end"},
		"an unknown delete may have done": {[]history.Write{acknowledged(1, a, history.Create, "1"), unknown(2, a, history.Delete)},
			[]Object{stored(a, 1)}, ""},
		"nobody deleted it": {[]history.Write{acknowledged(1, a, history.Create, "1")}, []Object{deleting}, "nobody asked for that"},
		"a Domain takes its User along": {[]history.Write{acknowledged(1, a, history.Create, "1"), owned, acknowledged(3, a,
			history.Delete, "")}, nil, ""},
		"a User goes without its Domain": {[]history.Write{acknowledged(1, a, history.Create, "1"), owned}, []Object{stored(a, 1)},
			"User ns/u is not there"},
		"a namespace takes all along": {[]history.Write{acknowledged(1, a, history.Create, "1"), owned, gone}, nil, ""},
		"a namespace leaves something": {[]history.Write{acknowledged(1, a, history.Create, "1"), gone},
			[]Object{stored(a, 1)}, "is not being deleted"},
		"nobody made it": {nil, []Object{stored(a, 1)}, "nobody made it"},
		"another object": {[]history.Write{acknowledged(1, a, history.Create, "1")}, []Object{other},
			"another object (UID another)"},
		"a version goes back": {[]history.Write{acknowledged(1, a, history.Create, "5"), acknowledged(2, a, history.Change, "4")},
			[]Object{stored(a, 2)}, `resourceVersion "4" after 5`},
		"an answer without a version": {[]history.Write{acknowledged(1, a, history.Create, "")}, []Object{stored(a, 1)}, `resourceVersion ""`},
		"a read finds an older write": {[]history.Write{acknowledged(1, a, history.Create, "1"), acknowledged(2, a, history.Change, "2"),
			read(1, false)}, []Object{stored(a, 2)}, "holds write 1 at 3s"},
		"a read finds nothing": {[]history.Write{acknowledged(1, a, history.Create, "1"), read(0, true)},
			[]Object{stored(a, 1)}, "is not there at 3s"},
		"a read finds what is stored": {[]history.Write{acknowledged(1, a, history.Create, "1"), read(1, false)}, []Object{stored(a, 1)}, ""},
		"a read without an answer": {[]history.Write{acknowledged(1, a, history.Create, "1"), unknown(0, a, history.Read)},
			[]Object{stored(a, 1)}, ""},
	} {
		t.Run(name, func(t *testing.T) { one(t, c.want, Lost, Writes(c.writes, c.final)) })
	}
}

// one requires exactly one violation that contains a text, or none if the text is empty.
func one(t *testing.T, want string, rule Rule, found []Violation) {
	t.Helper()
	if want == "" {
		require.Empty(t, found)
		return
	}
	require.Len(t, found, 1)
	require.Equal(t, rule, found[0].Rule)
	require.Contains(t, found[0].String(), want)
}

func TestWatched(t *testing.T) {
	now := func(version string) Object { return Object{Key: domainKey("a"), Version: version} }
	one(t, "", Watch, Watched([]Object{now("2")}, []Object{now("2")}))
	one(t, "a watch has not shown it", Watch, Watched(nil, []Object{now("2")}))
	one(t, "has shown version 1 last", Watch, Watched([]Object{now("1")}, []Object{now("2")}))
	one(t, "has not shown its end", Watch, Watched([]Object{now("1")}, nil))
}
