// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyInput draws an input of Decide: all combinations of records and existing objects, whether or
// not they can follow from each other.
func anyInput(t *rapid.T) input {
	id := rapid.SampledFrom([]string{"a", "b", "c"})
	ago := func(label string) time.Time {
		return testNow.Add(-time.Duration(rapid.SampledFrom([]int{-5, 0, 5, 15, 45, 90, 300, 4000}).Draw(t, label)) * time.Second)
	}
	i := given()
	i.want.Delete = rapid.Bool().Draw(t, "delete")
	policies := []Policy{"", PolicyDelete, PolicyDelete, PolicyDisable, PolicyDisable, PolicyRetain}
	i.want.Policy = rapid.SampledFrom(policies).Draw(t, "policy")
	i.want.Adopt = rapid.Bool().Draw(t, "adopt")
	i.want.Name = rapid.SampledFrom([]string{"", testName}).Draw(t, "name")
	i.want.AnyReference = rapid.Bool().Draw(t, "anyReference")
	i.want.Parent = rapid.SampledFrom([]string{"", "p", "q"}).Draw(t, "parent")
	i.endpoint.Verified = rapid.IntRange(0, 9).Draw(t, "verified") > 0
	i.endpoint.LeaderSince = ago("leader")
	i.endpoint.VanishedHold = rapid.SampledFrom([]string{"", "kubectl annotate …"}).Draw(t, "vanishedHold")
	i.endpoint.DeletionHold = rapid.SampledFrom([]string{"", "", "", "", "kubectl annotate …"}).Draw(t, "deletionHold")
	for range rapid.IntRange(0, 5).Draw(t, "transitions") {
		s := Slot{Kind: "Domain", Key: rapid.SampledFrom([]string{testKey, testKey, "other"}).Draw(t, "slot"), Parent: i.want.Parent}
		if rapid.IntRange(0, 4).Draw(t, "formerParent") == 0 {
			s.Parent = "former"
		}
		switch rapid.IntRange(0, 2).Draw(t, "transition") {
		case 0:
			i.ledger = i.ledger.Intend(s, ago("intended"))
		case 1:
			origin := rapid.SampledFrom([]Origin{Created, Adopted, Found}).Draw(t, "origin")
			i.ledger = i.ledger.Hold(s, id.Draw(t, "held"), origin, ago("heldSince"))
		case 2:
			i.ledger = i.ledger.Lose(s, ago("lost"))
		}
	}
	torn := rapid.IntRange(0, 7).Draw(t, "torn") == 0 // the list may lack what exists
	var objects []Object
	for _, each := range []string{"a", "b", "c", "d"} {
		reference := rapid.SampledFrom([]string{"", testKey, testName, testName, testRetained, "somebody"}).Draw(t, "reference")
		object := Object{ID: each, Reference: reference, Name: reference, Used: rapid.IntRange(0, 3).Draw(t, "used") == 0}
		exists := rapid.Bool().Draw(t, "exists")
		if exists && (!torn || !rapid.Bool().Draw(t, "hidden")) {
			objects = append(objects, object)
		}
		if rapid.Bool().Draw(t, "read") {
			found := exists != (torn && rapid.Bool().Draw(t, "late"))
			i = i.with(read(each, slices.Repeat([]Object{object}, map[bool]int{true: 1}[found])...))
		}
	}
	switch rapid.IntRange(0, 6).Draw(t, "list") {
	case 0:
	case 1:
		i.observed.List = &List{Rows: len(objects), Total: len(objects) + 1, Objects: objects}
	default:
		i.observed.List = &List{Rows: len(objects), Total: len(objects), Objects: objects}
	}
	i.observed.Live, i.observed.Incomplete = rapid.IntRange(0, 3).Draw(t, "live") > 0, rapid.IntRange(0, 3).Draw(t, "incomplete") > 0
	if rapid.Bool().Draw(t, "gone") {
		i.observed.GoneSince = ago("goneSince")
	}
	return i
}

func TestDecide_WritesOnlyToVerifiedEndpoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := anyInput(t)
		d := i.decide()
		if d.Writes() {
			require.True(t, i.endpoint.Verified, "%+v", d)
		}
		requireExplained(t, i, d)
		if o := i.observed; o.List != nil && o.List.Rows < o.List.Total && d.Row > 2 {
			require.Contains(t, []int{3, 4}, d.Row, "an incomplete list proves nothing")
		}
		if d.Row == 7 {
			record, _ := i.ledger.Current(i.want.Slot)
			_, listed := i.observed.List.byID(record.ID)
			_, answers, asked := i.observed.byID(record.ID)
			require.True(t, asked && !answers && !listed, "gone needs a complete list and a read by id")
		}
	})
}

func TestDecide_DeletesOnlyByLedgerOrIntentKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := anyInput(t)
		d := i.decide()
		if d.Verdict != Act || d.Action != Delete && d.Action != Disable {
			return
		}
		require.True(t, i.want.Delete && i.observed.Live)
		require.Empty(t, i.endpoint.DeletionHold)
		require.Equal(t, d.Action == Disable, i.want.Policy == PolicyDisable && d.Row != 9)
		object, answers, _ := i.observed.byID(d.ID)
		require.True(t, answers && i.want.references(object.Reference))
		record, current := i.ledger.Reparent(i.want.Slot, testNow).Current(i.want.Slot)
		known := i.ledger.knows(i.want.Slot, d.ID)
		require.True(t, known || current && record.State == Intended && object.Reference == testKey)
		after, _ := d.Ledger.Current(i.want.Slot)
		require.Equal(t, d.ID, after.ID, "the id is stored before the request")
		require.Equal(t, Held, after.State)
		require.NotEqual(t, Found, after.Origin)
	})
}

func TestDecide_RemovesOnlyWhatWasNeverHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := anyInput(t)
		d := i.decide()
		if d.Action != Remove {
			return
		}
		require.True(t, !i.want.Delete && i.observed.Live && i.observed.Incomplete)
		require.False(t, i.ledger.knows(i.want.Slot, d.ID))
		object, answers, _ := i.observed.byID(d.ID)
		require.True(t, answers && object.Reference == testKey && !object.Used)
		require.GreaterOrEqual(t, testNow.Sub(i.endpoint.LeaderSince), FenceGrace)
		record, _ := i.ledger.Current(i.want.Slot)
		require.Equal(t, Intended, record.State)
		require.GreaterOrEqual(t, testNow.Sub(record.Since.Time), removalAge(record.Tries))
	})
}

func TestDecide_KeepsEveryRecordedID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := anyInput(t)
		before := fmt.Sprintf("%+v", i.ledger)
		d := i.decide()
		require.Equal(t, before, fmt.Sprintf("%+v", i.ledger), "the input was changed")
		requireInvariants(t, d.Ledger)
		for _, r := range i.ledger {
			require.True(t, r.ID == "" || d.Ledger.knows(Slot{Kind: r.Kind, Key: r.Key}, r.ID), "%s was forgotten", r.ID)
			if r.Key != testKey {
				require.Contains(t, d.Ledger, r, "another slot")
			}
		}
	})
}

func TestDecide_ChangesOnlyWhatIsHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := anyInput(t)
		d := i.decide()
		record, _ := d.Ledger.Current(i.want.Slot)
		switch d.Action {
		case Change:
			require.Equal(t, d.ID, record.ID)
			object, answers, _ := i.observed.byID(d.ID)
			require.True(t, answers && i.want.references(object.Reference))
		case Create:
			require.True(t, d.Ledger.Keeps(i.want.Slot, d.Ledger), "the intent is stored before the request")
			require.False(t, i.want.Adopt && record.Tries == 0 && len(i.ledger) == 0)
		case Adopt:
			require.Equal(t, Held, record.State)
			object, _, _ := i.observed.byID(d.ID)
			require.True(t, object.Reference == testKey || i.want.Adopt && object.Name == testName)
		}
	})
}
