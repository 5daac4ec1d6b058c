// SPDX-License-Identifier: Apache-2.0

package anchor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const own, other = "0123abcd", "89efcdab"

var (
	start  = time.Unix(1_800_000_000, 0)
	ours   = Identity{ID: "anchor-1", Created: start.Add(-time.Hour)}
	theirs = Identity{ID: "anchor-2", Created: start.Add(-time.Minute)}
	leader = Process{Holder: own, Leads: true}
)

func look(identity Identity, holder string, changed time.Time, known Known) Look {
	return Look{Anchor: &Anchor{Identity: identity, Holder: holder, Changed: changed}, Known: known}
}

func TestDecide_IdentityOfTheAnchor(t *testing.T) {
	none, recorded := Stored{}, Stored{Identity: &ours}
	recreated := Identity{ID: ours.ID, Created: start}
	for name, tc := range map[string]struct {
		stored Stored
		look   Look
		state  State
		action Action
	}{
		"first use":                                 {none, Look{Known: NoneKnown}, Verifying, Make},
		"first use of a release that had none":      {none, Look{Known: OneAnswers}, Verifying, Make},
		"upgrade at another database":               {none, Look{Known: NoneAnswers}, IdentityChanged, None},
		"created and not recorded":                  {none, look(ours, other, start, NoneKnown), Verifying, Record},
		"record lost, objects answer":               {none, look(ours, other, start, OneAnswers), Verifying, Record},
		"record lost, nothing answers":              {none, look(ours, other, start, NoneAnswers), IdentityChanged, None},
		"anchor deleted, objects answer":            {recorded, Look{Known: OneAnswers}, Verifying, Make},
		"anchor deleted, nothing else recorded":     {recorded, Look{Known: NoneKnown}, Verifying, Make},
		"emptied":                                   {recorded, Look{Known: NoneAnswers}, IdentityChanged, None},
		"swapped for a clone with an own anchor":    {recorded, look(theirs, Released, start, OneAnswers), IdentityChanged, None},
		"an anchor with the same id, created later": {recorded, look(recreated, own, start, OneAnswers), IdentityChanged, None},
		"the recorded one":                          {recorded, look(ours, own, start, ""), Verified, Renew},
	} {
		t.Run(name, func(t *testing.T) {
			d, m := Decide(tc.stored, tc.look, leader, Memory{}, start)
			require.Equal(t, tc.state, d.State)
			require.Equal(t, tc.action, d.Action)
			require.Equal(t, d.State == IdentityChanged, d.Token != "", "a token where a person decides")
			require.Equal(t, d.State == Verified, m.Verified(start))

			d, m = Decide(tc.stored, tc.look, Process{Holder: own}, Memory{}, start)
			require.Equal(t, None, d.Action, "only the leader acts")
			require.False(t, m.Verified(start), "only the leader writes")
		})
	}
}

func TestDecide_AcceptedIdentity(t *testing.T) {
	seen := look(theirs, other, start, NoneAnswers)
	d, _ := Decide(Stored{Identity: &ours}, seen, leader, Memory{}, start)
	require.Equal(t, "anchor-2/89efcdab", d.Token)
	d, m := Decide(Stored{Identity: &ours, Accepted: d.Token}, seen, leader, Memory{}, start)
	require.Equal(t, Record, d.Action)
	require.Equal(t, theirs, d.Identity)
	d, _ = Decide(Stored{Identity: &theirs, Accepted: "anchor-2/89efcdab"}, seen, leader, m, start)
	require.Equal(t, Take, d.Action, "the holder is accepted with it")

	d, _ = Decide(Stored{Identity: &ours, Accepted: "anchor-2/89efcdab"}, look(theirs, "00000000", start, NoneAnswers), leader, m, start)
	require.Equal(t, IdentityChanged, d.State, "void once what was seen changed")
	d, _ = Decide(Stored{Identity: &ours, Accepted: "none/none"}, Look{Known: NoneAnswers}, leader, m, start)
	require.Equal(t, Make, d.Action)
}

func TestDecide_HolderOfTheAnchor(t *testing.T) {
	recorded := Stored{Identity: &ours}
	step := func(m Memory, stored Stored, p Process, holder string, changed, now time.Duration) (Decision, Memory) {
		return Decide(stored, look(ours, holder, start.Add(changed), ""), p, m, start.Add(now))
	}
	t.Run("released is taken immediately", func(t *testing.T) {
		d, m := step(Memory{}, recorded, leader, Released, 0, 0)
		require.Equal(t, Decision{State: Verifying, Action: Take, Next: SecondLook}, d)
		d, m = step(m, recorded, leader, own, time.Second, SecondLook)
		require.Equal(t, Verified, d.State)
		require.True(t, m.Verified(start.Add(SecondLook+Belief-1)))
		require.False(t, m.Verified(start.Add(SecondLook+Belief)), "belief ends")
	})
	t.Run("taken by two, the second look finds the other", func(t *testing.T) {
		_, m := step(Memory{}, recorded, leader, Released, 0, 0)
		d, m := step(m, recorded, leader, other, time.Second, SecondLook)
		require.Equal(t, Verifying, d.State)
		require.Equal(t, None, d.Action)
		require.False(t, m.Verified(start.Add(SecondLook)))
	})
	t.Run("stood still is taken after 30 s of the own clock", func(t *testing.T) {
		d, m := step(Memory{}, recorded, Process{Holder: own}, other, 0, 0)
		require.Equal(t, None, d.Action)
		d, m = step(m, recorded, leader, other, 0, StandStill-1)
		require.Equal(t, Decision{State: Verifying, Action: None, Next: 1}, d, "it looks as soon as it may take it")
		d, _ = step(m, recorded, leader, other, 0, StandStill)
		require.Equal(t, Take, d.Action, "looks in reserve count")
	})
	t.Run("two moves under another holder", func(t *testing.T) {
		_, m := step(Memory{}, recorded, leader, other, 0, 0)
		d, m := step(m, recorded, leader, other, 1, 10*time.Second)
		require.Equal(t, Verifying, d.State, "one may be the last request of a former leader")
		d, m = step(m, recorded, leader, "", 2, 20*time.Second)
		require.Equal(t, HeldByOther, d.State)
		require.Equal(t, "anchor-1/unreadable", d.Token)
		stored := Stored{Identity: &ours, HeldByOther: true}
		d, _ = step(m, stored, leader, other, 2, time.Hour)
		require.Equal(t, HeldByOther, d.State, "stored: not taken while the other one restarts")
		d, _ = step(Memory{}, stored, Process{Holder: own}, other, 2, time.Hour)
		require.Equal(t, HeldByOther, d.State)
		stored.Accepted = "anchor-1/" + other
		d, _ = step(m, stored, leader, other, 2, time.Hour)
		require.Equal(t, Take, d.Action)
		d, _ = step(Memory{}, stored, leader, own, 2, time.Hour)
		require.Equal(t, Verified, d.State)
	})
	t.Run("moves before leading do not count", func(t *testing.T) {
		_, m := step(Memory{}, recorded, Process{Holder: own}, other, 0, 0)
		_, m = step(m, recorded, Process{Holder: own}, other, 1, 10*time.Second)
		_, m = step(m, recorded, Process{Holder: own}, other, 2, 20*time.Second)
		d, _ := step(m, recorded, leader, other, 3, 30*time.Second)
		require.Equal(t, Verifying, d.State)
	})
	t.Run("a fenced process is not verified", func(t *testing.T) {
		_, m := step(Memory{}, recorded, leader, own, 0, 0)
		require.True(t, m.Verified(start))
		d, m := step(m, recorded, Process{Holder: own}, own, 1, time.Second)
		require.Equal(t, Verifying, d.State)
		require.False(t, m.Verified(start.Add(time.Second)))
	})
}

func TestMemory_ClockSetBack(t *testing.T) {
	_, m := Decide(Stored{Identity: &ours}, look(ours, own, start, ""), leader, Memory{}, start)
	require.False(t, m.Verified(start.Add(-time.Second)))
}

func TestName(t *testing.T) {
	require.Equal(t, "roadstead-anchor:abc", Reference("abc"))
	for _, holder := range []string{own, Released, NewHolder()} {
		require.Equal(t, holder, HolderOf(Name("abc", holder)))
	}
	for _, name := range []string{"", "renamed by hand", Name("abc", "0123ABCD"), Name("abc", "0123abcd9"), Name("abc", own) + " "} {
		require.Empty(t, HolderOf(name), name)
	}
	require.NotEqual(t, NewHolder(), NewHolder())
}
