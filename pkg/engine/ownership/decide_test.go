// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// outcome is the part of a Decision that the table of Decide lists: an action, or a verdict with
// its reason.
func outcome(d Decision) string {
	if d.Verdict == Act {
		return string(d.Action)
	}
	return string(d.Verdict) + "(" + d.Reason + ")"
}

// decideCase is one situation. ensure and delete are the outcomes of the two columns; ensureRow
// and deleteRow are set if another row decides the column.
type decideCase struct {
	name           string
	row            int
	given          input
	ensure, delete string
	ensureRow      int
	deleteRow      int
}

func TestDecide(t *testing.T) {
	ours, theirs := domain("ours", testKey), domain("theirs", testName)
	absent := given(listed())
	for _, c := range []decideCase{
		{name: "row-01 Retain with a held domain", row: 1, given: given(policy(PolicyRetain), held("ours", Created), read("ours", ours)),
			ensure: "Change", ensureRow: 6, delete: "Done"},
		{name: "row-01 Retain while the endpoint is not verified", row: 1,
			given:  given(policy(PolicyRetain), held("ours", Created), unverified),
			ensure: "Wait(HeldByOther)", ensureRow: 3, delete: "Done"},
		{name: "row-02 no record, an object with the key", row: 2, given: given(listed(ours)),
			ensure: "Adopt", ensureRow: 10, delete: "Done"},
		{name: "row-02 no record, endpoint not verified", row: 2, given: given(unverified),
			ensure: "Wait(HeldByOther)", ensureRow: 3, delete: "Done"},
		{name: "row-03 endpoint not verified", row: 3, given: given(unverified, held("ours", Created), read("ours", ours)),
			ensure: "Wait(HeldByOther)", delete: "Wait(HeldByOther)"},
		{name: "row-04 short list", row: 4, given: given(held("ours", Created), short, read("ours")),
			ensure: "Wait(SearchIncomplete)", delete: "Wait(SearchIncomplete)"},
		{name: "row-04 list lacks what a read returns", row: 4, given: given(held("ours", Created), listed(), read("ours", ours)),
			ensure: "Wait(SearchIncomplete)", delete: "Wait(SearchIncomplete)"},
		{name: "row-04 list holds what a read does not find", row: 4, given: given(held("ours", Created), listed(ours), read("ours")),
			ensure: "Wait(SearchIncomplete)", delete: "Wait(SearchIncomplete)"},
		{name: "row-04 listed as missing, read failed", row: 4, given: given(held("ours", Created), listed()),
			ensure: "Wait(SearchIncomplete)", delete: "Wait(SearchIncomplete)"},
		{name: "row-04 404 without a list", row: 4, given: given(held("ours", Created), read("ours")),
			ensure: "Wait(SearchIncomplete)", delete: "Wait(SearchIncomplete)"},
		{name: "row-04 nothing was read", row: 4, given: given(intended(time.Hour, 0)),
			ensure: "Wait(SearchIncomplete)", delete: "Wait(SearchIncomplete)"},
		{name: "row-04 two objects with the key", row: 4, given: given(intended(time.Hour, 0), listed(ours, domain("other", testKey))),
			ensure: "Wait(SearchIncomplete)", delete: "Wait(SearchIncomplete)"},
		{name: "row-05 another reference", row: 5, given: given(held("ours", Created), read("ours", domain("ours", "somebody"))),
			ensure: "Refuse(ReferenceChanged)", delete: "Refuse(ReferenceChanged)"},
		{name: "row-06 created", row: 6, given: given(held("ours", Created), read("ours", ours)), ensure: "Change", delete: "Delete"},
		{name: "row-06 adopted", row: 6, given: given(adopting, held("theirs", Adopted), read("theirs", theirs)),
			ensure: "Change", delete: "Delete"},
		{name: "row-06 found", row: 6, given: given(held("ours", Found), read("ours", ours)), ensure: "Change", delete: "Leave"},
		{name: "row-06 Disable", row: 6, given: given(policy(PolicyDisable), held("ours", Created), read("ours", ours)),
			ensure: "Change", delete: "Disable"},
		{name: "row-06 typed reference", row: 6, given: given(typed, held("ours", Created), read("ours", domain("ours", testName))),
			ensure: "Change", delete: "Delete"},
		{name: "row-06 no reference", row: 6, given: given(held("ours", Created), read("ours", domain("ours", ""))),
			ensure: "Change", delete: "Delete"},
		{name: "row-06 marked by an interrupted deletion", row: 6,
			given:  given(held("ours", Created), read("ours", domain("ours", testRetained))),
			ensure: "Change", delete: "Delete"},
		{name: "row-06 only in the list", row: 6, given: given(held("ours", Created), listed(ours)), ensure: "Change", delete: "Delete"},
		{name: "row-07 first seen", row: 7, given: given(held("ours", Created), listed(), read("ours")),
			ensure: "Wait(Vanished)", delete: "Done"},
		{name: "row-07 a minute later", row: 7, given: given(held("ours", Created), listed(), read("ours"), gone(time.Minute)),
			ensure: "Lose", delete: "Done"},
		{name: "row-07 held back", row: 7, given: given(held("ours", Created), listed(), read("ours"), gone(time.Hour)).with(
			func(i *input) { i.endpoint.VanishedHold = "kubectl annotate tep …" }), ensure: "Wait(Vanished)", delete: "Done"},
		{name: "row-08 back under the key", row: 8, given: given(lost("ours", Created), listed(ours)), ensure: "Regain", delete: "Delete"},
		{name: "row-08 back under the typed reference", row: 8,
			given:  given(typed, lost("ours", Created), listed(domain("ours", testName))),
			ensure: "Regain", delete: "Delete"},
		{name: "row-08 found", row: 8, given: given(lost("ours", Found), listed(ours)), ensure: "Regain", delete: "Leave"},
		{name: "row-08 Disable", row: 8, given: given(policy(PolicyDisable), lost("ours", Created), listed(ours)),
			ensure: "Regain", delete: "Disable"},
		{name: "row-08 a create is under way", row: 8, given: given(lost("ours", Created), intended(time.Minute, 0), listed(ours)),
			ensure: "Wait(CreateUnclear)", delete: "Wait(CreateUnclear)"},
		{name: "row-08 the create had no effect", row: 8, given: given(lost("ours", Created), intended(CreateWindow, 0), listed(ours)),
			ensure: "Regain", delete: "Delete"},
		{name: "row-09 complete", row: 9, given: given(intended(time.Minute, 0), listed(ours)), ensure: "Adopt", delete: "Delete"},
		{name: "row-09 without the root password", row: 9, given: given(intended(RemovalGrace, 0), incomplete, listed(ours)),
			ensure: "Remove", delete: "Delete"},
		{name: "row-09 without the root password, in use", row: 9, given: given(intended(time.Hour, 0), incomplete, listed(used(ours))),
			ensure: "Adopt", delete: "Delete"},
		{name: "row-09 too early", row: 9, given: given(intended(9*time.Second, 0), incomplete, listed(ours)),
			ensure: "Wait(InterruptedCreate)", delete: "Delete"},
		{name: "row-09 removed before", row: 9, given: given(intended(59*time.Second, 1), incomplete, listed(ours)),
			ensure: "Wait(InterruptedCreate)", delete: "Delete"},
		{name: "row-09 the former leader may be writing", row: 9, given: given(intended(time.Hour, 0), incomplete, listed(ours)).with(
			func(i *input) { i.endpoint.LeaderSince = testNow.Add(-29 * time.Second) }),
			ensure: "Wait(InterruptedCreate)", delete: "Delete"},
		{name: "row-10 record lost", row: 10, given: given(lost("other", Created), incomplete, listed(ours)),
			ensure: "Adopt", delete: "Leave"},
		{name: "row-10 no record", row: 10, given: given(incomplete, listed(ours)), ensure: "Adopt", delete: "Done", deleteRow: 2},
		{name: "row-11 somebody else's", row: 11, given: given(typed, listed(theirs)),
			ensure: "Refuse(Taken)", delete: "Done", deleteRow: 2},
		{name: "row-11 adopt", row: 11, given: given(adopting, listed(theirs)), ensure: "Adopt", delete: "Done", deleteRow: 2},
		{name: "row-11 somebody else's, create under way", row: 11, given: given(typed, intended(time.Minute, 0), listed(theirs)),
			ensure: "Refuse(Taken)", delete: "Wait(CreateUnclear)", deleteRow: 12},
		{name: "row-11 adopt, create under way", row: 11, given: given(adopting, intended(time.Minute, 0), listed(theirs)),
			ensure: "Wait(CreateUnclear)", delete: "Wait(CreateUnclear)", deleteRow: 12},
		{name: "row-11 adopt, the create had no effect", row: 11, given: given(adopting, intended(CreateWindow, 0), listed(theirs)),
			ensure: "Adopt", delete: "Done", deleteRow: 12},
		{name: "row-11 somebody else's, ours lost", row: 11, given: given(typed, lost("ours", Created), listed(theirs)),
			ensure: "Refuse(Taken)", delete: "Done", deleteRow: 13},
		{name: "row-12 create may arrive", row: 12, given: absent.with(intended(CreateWindow-time.Second, 2)),
			ensure: "Create", delete: "Wait(CreateUnclear)"},
		{name: "row-12 create had no effect", row: 12, given: absent.with(intended(CreateWindow, 2)), ensure: "Create", delete: "Done"},
		{name: "row-13 nothing", row: 13, given: absent, ensure: "Create", delete: "Done", deleteRow: 2},
		{name: "row-13 only a lost record", row: 13, given: absent.with(lost("ours", Created)), ensure: "Create", delete: "Done"},
		{name: "row-13 a lost id under another reference", row: 13, given: given(lost("ours", Created), listed(domain("ours", "somebody"))),
			ensure: "Create", delete: "Done"},
		{name: "row-13 nothing to adopt", row: 13, given: absent.with(adopting),
			ensure: "Wait(NothingToAdopt)", delete: "Done", deleteRow: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.check(t, c.given, c.ensure, c.ensureRow)
			c.check(t, c.given.with(deleting), c.delete, c.deleteRow)
		})
	}
}

func (c decideCase) check(t *testing.T, given input, want string, row int) {
	t.Helper()
	d := given.decide()
	require.Equal(t, want, outcome(d))
	if row == 0 {
		row = c.row
	}
	require.Equal(t, row, d.Row)
	require.Equal(t, testKey, d.Key)
	requireExplained(t, given, d)
}

// requireExplained fails unless the message of a Wait or Refuse contains the problem, the object, and what ends it.
func requireExplained(t require.TestingT, given input, d Decision) {
	if d.Verdict == Act {
		require.NotEmpty(t, d.Action)
		return
	}
	require.NotEmpty(t, d.Reason)
	require.NotEmpty(t, d.Message)
	require.Equal(t, d.Verdict == Wait, d.After > 0, "only a wait ends by itself")
	if given.want.Delete && given.want.LetGo != "" {
		require.Contains(t, d.Message, given.want.LetGo)
	}
}
