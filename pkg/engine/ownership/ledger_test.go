// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLedgerKeeps_OnlyStoredIntent(t *testing.T) {
	intent := Ledger(nil).Intend(testSlot, testNow)
	raw, err := json.Marshal(Status{Records: intent})
	require.NoError(t, err)
	var stored Status
	require.NoError(t, json.Unmarshal(raw, &stored))
	require.True(t, intent.Keeps(testSlot, stored.Records))
	require.True(t, intent.Equal(stored.Records))

	require.False(t, intent.Keeps(testSlot, nil), "dropped")
	require.False(t, intent.Keeps(testSlot, Ledger(nil).Intend(testSlot, testNow.Add(-time.Minute))), "an older intent")
	require.False(t, intent.Keeps(testSlot, intent.Hold(testSlot, "a", Created, testNow)), "not an intent")
	require.False(t, Ledger(nil).Keeps(testSlot, intent), "nothing was intended")
}

func TestLedgerKey_PrefersRecordedKey(t *testing.T) {
	require.Equal(t, "new", Ledger(nil).Key("Domain", "new"))
	held := Ledger(nil).Hold(testSlot, "a", Created, testNow)
	require.Equal(t, testKey, held.Key("Domain", "new"))
	require.Equal(t, testKey, held.Lose(testSlot, testNow).Key("Domain", "new"))
	require.Equal(t, "new", held.Key("User", "new"))
}

func TestLedgerLose_KeepsNewest16(t *testing.T) {
	var l Ledger
	for i := range MaxLost + 4 {
		now := testNow.Add(time.Duration(i) * time.Hour)
		l = l.Hold(testSlot, fmt.Sprint(i), Created, now).Lose(testSlot, now)
	}
	lost := l.Lost(testSlot)
	require.Len(t, lost, MaxLost)
	require.Equal(t, "19", lost[0].ID)
	require.Equal(t, "4", lost[MaxLost-1].ID)
}

func TestLedgerReparent_LosesRecordsOfFormerParent(t *testing.T) {
	user := Slot{Kind: "User", Key: "rs-1", Parent: "domain-1"}
	other := Slot{Kind: "User", Key: "rs-2", Parent: "domain-1"}
	l := Ledger(nil).Hold(user, "u", Created, testNow).Intend(other, testNow)
	require.True(t, l.Reparent(user, testNow).Equal(l))
	require.True(t, l.Reparent(Slot{Kind: "User", Key: "rs-1"}, testNow).Equal(l), "the parent is not known")

	user.Parent, other.Parent = "domain-2", "domain-2"
	l = l.Reparent(user, testNow).Reparent(other, testNow)
	require.Len(t, l, 1)
	require.Equal(t, Lost, l[0].State)
	_, current := l.Current(user)
	require.False(t, current)

	user.Parent = "domain-1"
	require.Equal(t, "u", l.Lost(user)[0].ID, "the former parent is back")
}

func TestLedgerHold_KeepsOriginOfKnownID(t *testing.T) {
	l := Ledger(nil).Hold(testSlot, "a", Found, testNow).Lose(testSlot, testNow)
	r, _ := l.Hold(testSlot, "a", Created, testNow).Current(testSlot)
	require.Equal(t, Found, r.Origin)
}

func TestLedgerWithdraw_RemovesOnlyIntent(t *testing.T) {
	other := Slot{Kind: "Domain", Key: "other"}
	rest := Ledger(nil).Hold(testSlot, "a", Created, testNow).Lose(testSlot, testNow).Intend(other, testNow)
	require.True(t, rest.Equal(rest.Intend(testSlot, testNow).Withdraw(testSlot)))
	held := Ledger(nil).Hold(testSlot, "a", Created, testNow)
	require.True(t, held.Equal(held.Withdraw(testSlot)))
}

func TestLedgerForget_RemovesOnlyID(t *testing.T) {
	l := Ledger(nil).Hold(testSlot, "a", Created, testNow).Hold(testSlot, "b", Created, testNow)
	require.True(t, l.filter(Lost).Equal(l.Forget(testSlot, "b")))
	require.True(t, l.Equal(l.Forget(testSlot, "c")))
}

func TestClearlyRefused(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 422, 429} {
		require.True(t, ClearlyRefused(true, status), status)
	}
	for _, status := range []int{0, 200, 302, 408, 409, 500, 502, 503, 504} {
		require.False(t, ClearlyRefused(true, status), status)
		require.True(t, ClearlyRefused(false, status), "never sent")
	}
}

// TestLedgerTransitions_KeepInvariants checks that any sequence of transitions keeps the invariants of a ledger,
// and that IDs are removed only by the transitions that are meant to do so and by the limit of Lost records.
func TestLedgerTransitions_KeepInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Ledger
		now := testNow
		slots := []Slot{{Kind: "User", Key: "a", Parent: "p"}, {Kind: "User", Key: "b", Parent: "p"}, {Kind: "User", Key: "a", Parent: "q"}}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			s := rapid.SampledFrom(slots).Draw(t, "slot")
			id := fmt.Sprint(rapid.IntRange(1, 30).Draw(t, "id"))
			now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "seconds")) * time.Second)
			before := append(Ledger(nil), l...)
			next, forgets := l, false
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				next = l.Intend(s, now)
			case 1:
				next = l.Hold(s, id, rapid.SampledFrom([]Origin{Created, Adopted}).Draw(t, "origin"), now)
			case 2:
				next = l.Lose(s, now)
			case 3:
				next = l.Withdraw(s)
			case 4:
				next = l.Reparent(s, now)
			case 5:
				next, forgets = l.Forget(s, id), true
			}
			require.True(t, l.Equal(before), "the receiver was changed")
			requireInvariants(t, next)
			if !forgets && len(next.filter(Lost)) < MaxLost {
				for _, r := range l {
					require.True(t, r.ID == "" || next.knows(Slot{Kind: r.Kind, Key: r.Key}, r.ID), "%s was forgotten", r.ID)
				}
			}
			l = next
		}
	})
}

func (l Ledger) filter(state State) Ledger {
	return l.without(func(r Record) bool { return r.State != state })
}

func requireInvariants(t require.TestingT, l Ledger) {
	current := map[string]int{}
	for _, r := range l {
		require.Equal(t, r.State == Intended, r.ID == "")
		require.Equal(t, r.State == Intended, r.Origin == "")
		if r.State != Lost {
			current[r.Kind+"/"+r.Key]++
		}
	}
	for key, n := range current {
		require.LessOrEqual(t, n, 1, key)
	}
	require.LessOrEqual(t, len(l.filter(Lost)), MaxLost)
}
