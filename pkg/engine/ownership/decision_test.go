// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDecideDestructive_LooksAgainFirst(t *testing.T) {
	ours := domain("ours", testKey)
	for name, i := range map[string]input{
		"Delete":                    given(deleting, held("ours", Created), read("ours", ours)),
		"Disable":                   given(deleting, policy(PolicyDisable), held("ours", Created), read("ours", ours)),
		"Delete of a former object": given(deleting, lost("ours", Created), listed(ours)),
		"Delete by the key":         given(deleting, intended(time.Minute, 0), listed(ours)),
		"Remove":                    given(intended(time.Minute, 0), incomplete, listed(ours)),
		"Done after 404":            given(deleting, held("ours", Created), listed(), read("ours")),
		"Done after a create":       given(deleting, intended(time.Hour, 0), listed()),
		"Done with a lost record":   given(deleting, lost("ours", Created), listed()),
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEqual(t, Look, i.decide().Action)
			d := i.with(cached).decide()
			require.Equal(t, Look, d.Action)
			require.True(t, d.Ledger.Equal(i.ledger), "nothing is stored before the second look")
			require.False(t, d.Writes())
			require.False(t, d.Finished())
		})
	}
}

func TestDecideLedger_HoldsProofBeforeRequest(t *testing.T) {
	ours, theirs := domain("ours", testKey), domain("theirs", testName)
	for name, c := range map[string]struct {
		given input
		want  Record
	}{
		"create": {given(listed()), Record{State: Intended}},
		"create again": {given(intended(time.Minute, 3), listed()),
			Record{State: Intended, Tries: 3}},
		"adopt by key":            {given(intended(time.Minute, 1), listed(ours)), Record{State: Held, ID: "ours", Origin: Created}},
		"adopt by key, no record": {given(listed(ours)), Record{State: Held, ID: "ours", Origin: Created}},
		"adopt by name":           {given(adopting, listed(theirs)), Record{State: Held, ID: "theirs", Origin: Adopted}},
		"adopt by name, an intent": {given(adopting, intended(CreateWindow, 0), listed(theirs)), Record{State: Held,
			ID: "theirs", Origin: Adopted}},
		"delete by key": {given(deleting, intended(time.Minute, 0), listed(ours)),
			Record{State: Held, ID: "ours", Origin: Created}},
		"regain": {given(lost("ours", Adopted), listed(ours)), Record{State: Held, ID: "ours", Origin: Adopted}},
		"delete a former object": {given(deleting, lost("ours", Created), listed(ours)),
			Record{State: Held, ID: "ours", Origin: Created}},
		"lose": {given(held("ours", Created), listed(), read("ours"), gone(time.Hour)),
			Record{State: Lost, ID: "ours", Origin: Created}},
	} {
		t.Run(name, func(t *testing.T) {
			d := c.given.decide()
			require.Len(t, d.Ledger, 1)
			c.want.Kind, c.want.Key, c.want.Since = "Domain", testKey, stamp(testNow)
			require.Equal(t, c.want, d.Ledger[0])
		})
	}
}

func TestDecideRemove_BacksOff(t *testing.T) {
	want := []time.Duration{10 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute,
		30 * time.Minute, 30 * time.Minute}
	for tries, age := range want {
		early := given(intended(age-time.Second, int32(tries)), incomplete, listed(domain("ours", testKey)))
		require.Equal(t, time.Second, early.decide().After, tries)
		due := given(intended(age, int32(tries)), incomplete, listed(domain("ours", testKey)))
		d := due.decide()
		require.Equal(t, Remove, d.Action, tries)
		require.Equal(t, int32(tries)+1, d.Ledger[0].Tries, "counted before the request, so that a crash does not repeat it at once")
		require.Equal(t, Intended, d.Ledger[0].State)
	}
}

func TestDecideRemove_NeedsLeader(t *testing.T) {
	i := given(intended(time.Hour, 0), incomplete, listed(domain("ours", testKey)))
	i.endpoint.LeaderSince = time.Time{}
	require.Equal(t, "Wait(InterruptedCreate)", outcome(i.decide()))
}

func TestDecideWait_IsBoundedWhenClockWasSetBack(t *testing.T) {
	later := -24 * time.Hour
	remains := given(intended(later, 0), incomplete, listed(domain("ours", testKey)))
	require.Equal(t, RemovalGrace, remains.decide().After)
	require.Equal(t, CreateWindow, given(deleting, intended(later, 0), listed()).decide().After)
	require.Equal(t, VanishedWindow, given(held("ours", Created), listed(), read("ours"), gone(later)).decide().After)
}

func TestDecideRetain_MarksOrReports(t *testing.T) {
	retain := given(deleting, policy(PolicyRetain))
	d := retain.with(held("ours", Created), read("ours", domain("ours", testKey))).decide()
	require.True(t, d.Mark)
	require.Equal(t, "ours", d.ID)
	require.Empty(t, d.Left)

	d = retain.with(held("ours", Created), read("ours", domain("ours", testKey)), unverified).decide()
	require.False(t, d.Mark)
	require.Equal(t, []string{"ours"}, d.Left)
	require.Equal(t, []string{"ours"}, retain.with(held("ours", Created)).decide().Left, "nothing was read")

	d = retain.with(typed, held("ours", Created), read("ours", domain("ours", testName))).decide()
	require.False(t, d.Mark, "a typed reference stays")
	require.Empty(t, d.Left)

	d = retain.with(intended(0, 0), listed(domain("ours", testKey))).decide()
	require.True(t, d.Mark)
	require.Equal(t, "ours", d.ID)
	require.Equal(t, []string{testKey}, retain.with(intended(0, 0)).decide().Left)
	require.Equal(t, []string{"ours"}, retain.with(lost("ours", Created)).decide().Left, "it may reappear")

	retain.want.Retained = ""
	d = retain.with(held("ours", Created)).decide()
	require.True(t, d.Finished() && !d.Mark && d.Left == nil, "a kind without such a reference")
}

func TestDecideDisable_MarksGeneratedReferenceOnly(t *testing.T) {
	disable := given(deleting, policy(PolicyDisable), typed, held("ours", Created))
	require.True(t, disable.with(read("ours", domain("ours", testKey))).decide().Mark)
	require.False(t, disable.with(read("ours", domain("ours", testName))).decide().Mark)
	require.False(t, disable.with(read("ours", domain("ours", testRetained))).decide().Mark, "marked before")
}

func TestDecideDeletion_WaitsForHold(t *testing.T) {
	ours := domain("ours", testKey)
	hold := func(i *input) { i.endpoint.DeletionHold = "kubectl annotate tep t roadstead.dev/release-hold=4-abcdef" }
	for name, i := range map[string]input{
		"held":   given(deleting, held("ours", Created), read("ours", ours)),
		"former": given(deleting, lost("ours", Created), listed(ours)),
		"key":    given(deleting, intended(time.Hour, 0), listed(ours)),
	} {
		t.Run(name, func(t *testing.T) {
			d := i.with(hold).decide()
			require.Equal(t, "Wait(DeletionHeld)", outcome(d))
			require.Contains(t, d.Message, "release-hold=4-abcdef")
			requireExplained(t, i, d)
			before := DeletionHeld(i.want, i.with(hold).endpoint)
			require.Equal(t, []any{d.Verdict, d.Reason, d.Message, d.After}, []any{before.Verdict, before.Reason, before.Message, before.After})
		})
	}
	require.Equal(t, Change, given(hold, held("ours", Created), read("ours", ours)).decide().Action, "a hold stops only what it counts")
	require.Equal(t, Done, given(deleting, hold, policy(PolicyRetain), held("ours", Created)).decide().Action)
}

func TestDecideUser_IgnoresNameAfterCreate(t *testing.T) {
	user := Want{Slot: Slot{Kind: "User", Key: "rs-0123456789abcdef", Parent: "domain-1"}, Name: "a@example.com", AnyReference: true}
	ledger := Ledger(nil).Hold(user.Slot, "u1", Created, testNow)
	seen := Observed{Reads: []Read{{ID: "u1", Object: &Object{ID: "u1", Reference: "anna", Name: "a@example.com"}}}}
	endpoint := Endpoint{Verified: true}
	require.Equal(t, Change, Decide(user, seen, ledger, endpoint, testNow).Action)

	user.Parent = "domain-2"
	d := Decide(user, Observed{List: &List{}}, ledger, endpoint, testNow)
	require.Equal(t, Create, d.Action, "the domain was replaced")
	require.Len(t, d.Ledger.Lost(Slot{Kind: "User", Key: user.Key}), 1)

	user.Parent = "domain-1"
	back := Observed{List: &List{Objects: []Object{*seen.Reads[0].Object}}}
	require.Equal(t, Regain, Decide(user, back, ledger.Lose(user.Slot, testNow), endpoint, testNow).Action)
}

func TestLedgerNotKept_StopsCreate(t *testing.T) {
	d := LedgerNotKept(given(listed()).decide())
	require.Equal(t, "Wait(LedgerNotKept)", outcome(d))
	require.Contains(t, d.Message, "--controller-user")
	require.False(t, d.Writes())
}

func TestDecideUnverified_ExplainsWithoutReason(t *testing.T) {
	i := given(listed())
	i.endpoint = Endpoint{}
	d := i.decide()
	require.Equal(t, "Wait(EndpointVerifying)", outcome(d))
	requireExplained(t, i, d)
}
