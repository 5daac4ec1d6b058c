// SPDX-License-Identifier: Apache-2.0

package broken

import (
	"time"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/framework/install"
)

const (
	domainController = "pkg/controllers/takaro/domain/"
	ownership        = "pkg/engine/ownership/"
	outside          = "pkg/controllers/base/outside/"
	anchors          = "pkg/engine/anchor/"
	endpoints        = "pkg/controllers/takaro/takaroendpoint/"
	claims           = "pkg/storage/unique/"
)

// quiet is a fault that does not affect what the defects depend on.
var quiet = []plan.FaultKind{plan.TakaroClock}

// Defects are the defects that a run must find.
var Defects = []Defect{
	{
		Name: "an acknowledged write is not stored", Program: install.APIServer, Rule: check.Lost, Seed: 1, Faults: quiet,
		// The server answers as if it had stored the object, but does not store every fifth one.
		Edits: []Edit{
			{"pkg/registry/generic/store.go", "// Create stores a new object.", "var creates int\n\n// Create stores a new object, or not."},
			{"pkg/registry/generic/store.go", "	made, err := r.Store.Create(ctx, obj, validate, options)", `	if creates++; creates%5 == 0 {
		options = options.DeepCopy()
		options.DryRun = []string{metav1.DryRunAll}
	}
	made, err := r.Store.Create(ctx, obj, validate, options)`},
		},
	},
	{
		Name: "each create has another key", Program: install.Controller, Rule: check.Twice, Seed: 2, Faults: []plan.FaultKind{plan.Takaro},
		Edits: []Edit{{outside + "ensure.go", "o.Create(ctx, d.Key)", `o.Create(ctx, d.Key+":"+o.Now().Format("150405.000000"))`}},
	},
	{
		Name: "a Domain is deleted and its Takaro domain stays", Program: install.Controller, Rule: check.Left, Seed: 3, Faults: quiet,
		Edits: []Edit{{ownership + "rows.go", "d := c.act(row, Delete)", "d := c.act(row, Done)"}},
	},
	{
		Name: "what stays by its deletion policy is deleted", Program: install.Controller, Rule: check.Discarded, Seed: 3, Faults: quiet,
		Edits: []Edit{
			{ownership + "decide.go", "case want.Delete && want.Policy == PolicyRetain:", `case want.Delete && want.Policy == "":`},
			{ownership + "rows.go", "if c.want.Policy == PolicyDisable {", "if c.want.Policy == Policy(\"\") {"},
		},
	},
	{
		Name: "a Domain reports to be Ready though Takaro fails", Program: install.Controller, Rule: check.NotReady, Seed: 4, Faults: quiet,
		Edits: []Edit{{domainController + "status.go", "	if blocked == nil {\n		setEndpointAnswers(domain)",
			"	if blocked == nil || domain.Spec.Name != \"\" {\n		setEndpointAnswers(domain)"}},
	},
	{
		Name: "a domain is adopted by its name", Program: install.Controller, Rule: check.Foreign, Seed: 8, Faults: quiet,
		Edits: []Edit{{ownership + "rows.go", "if !c.want.Adopt {\n		return c.refuse(11", "if c.want.Delete {\n		return c.refuse(11"}},
	},
	{
		Name: "a changed reference is ignored", Program: install.Controller, Rule: check.Foreign, Seed: 5,
		Faults: []plan.FaultKind{plan.GiveAway},
		Edits:  []Edit{{ownership + "observed.go", "case answers && !want.references(object.Reference):", `case answers && object.ID == "":`}},
	},
	{
		Name: "the guard lets breaking changes pass", Program: install.APIServer, Rule: check.Guard, Seed: 1, Faults: quiet,
		Edits: []Edit{{"pkg/engine/crd/policy/update.go", "case len(breaking) == 0:", "case len(breaking) >= 0:"}},
	},
}

// A short run cannot trigger a defect that shows only after an upgrade, with an older API server,
// next to a copy of the cluster, or after minutes. Another database in a run has no anchor, so that
// only the first rule is evaluated there. With such a defect, the tests of the package must fail.

// TestedDefects are the defects that the tests of a package must find.
var TestedDefects = []TestedDefect{
	{"a refused intent is kept", "./" + outside, []Edit{{outside + "ensure.go", ".Withdraw(o.Want.Slot)", ""}}},
	{"a create is sent before its intent is shown to be stored", "./" + outside,
		[]Edit{{outside + "ensure.go", "if !d.Ledger.Keeps(", "if o.Now().IsZero() && !d.Ledger.Keeps("}}},
	{"a hold on vanished objects is ignored", "./" + ownership,
		[]Edit{{ownership + "rows.go", `if c.endpoint.VanishedHold != "" || left > 0 {`, "if left > 0 {"}}},
	{"a domain that is missing for a moment is created again", "./" + ownership,
		[]Edit{{ownership + "rows.go", `if c.endpoint.VanishedHold != "" || left > 0 {`, `if c.endpoint.VanishedHold != "" {`}}},
	{"any anchor is the recorded one", "./" + anchors,
		[]Edit{{anchors + "decide.go", "look.Anchor.equal(*stored.Identity)", `look.Anchor.ID != ""`}}},
	{"a database without the anchor and without a known domain is the recorded one", "./" + anchors,
		[]Edit{{anchors + "decide.go", "(another || look.Known == NoneAnswers)", "another"}}},
	{"the holder of the anchor is ignored", "./" + anchors,
		[]Edit{{anchors + "decide.go", "case anchor.Holder == process.Holder && process.Leads:\n\t\td.State, d.Action = Verified, Renew",
			"case process.Leads:\n\t\td.State, d.Action = Verified, Renew"}}},
	{"a copy of the cluster takes over while the original restarts", "./" + anchors,
		[]Edit{{anchors + "decide.go", "case other, m.moves >= movesOfOther && !accepted:", "case m.moves >= movesOfOther && !accepted:"}}},
	{"all installations have the same anchor", "./" + anchors,
		[]Edit{{anchors + "name.go", "return referencePrefix + installation", "return referencePrefix"}}},
	{"that another installation holds the anchor is not stored", "./" + endpoints,
		[]Edit{{endpoints + "identity.go", "case d.State == anchor.HeldByOther && found.Anchor != nil:",
			"case d.State == anchor.HeldByOther && found.Anchor == nil:"}}},
	{"a change is sent without the anchor", "./" + endpoints,
		[]Edit{{endpoints + "writes.go", "	if !k.verified(at) {\n		return nil,", "	if k.Clock == nil {\n		return nil,"}}},
	{"a domain is deleted without another look at the anchor", "./" + endpoints,
		[]Edit{{endpoints + "writes.go", "known := s.begun.After(asked)", "known := s.begun.After(asked) || !s.begun.IsZero()"}}},
	{"an anchor that somebody else's Domain may type", "./pkg/apis/takaro/validation",
		[]Edit{{"pkg/apis/takaro/validation/domain.go", "[]string{GeneratedReferencePrefix, AnchorReferencePrefix}",
			"[]string{GeneratedReferencePrefix}"}}},
	{"the deletions of any number of namespaces pass", "./pkg/controllers/takaro/takaroendpoint",
		[]Edit{{"pkg/controllers/takaro/takaroendpoint/deletions.go", "if within.Has(name) || before.holds(name) {",
			"if before.holds(name) {"}}},
	{"a claim counts whatever value its owner has", "./" + claims,
		[]Edit{{claims + "take.go", "if value.at == string(record.Key) {", "if value.at != \"\" {"}}},
	{"a reservation does not count before the status is stored", "./" + claims,
		[]Edit{{claims + "take.go", "if claim.Pending > 0 && uint64(claim.Pending) == revision {", "if claim.Pending < 0 && revision == 0 {"}}},
	{"any number may vanish", "./" + ownership,
		[]Edit{{ownership + "hold.go", "n > HoldFloor && n*100 > share*of", "n > HoldFloor && n*100 > 100*share*of"}}},
	{"what was found in the status of an older release is deleted", "./" + ownership,
		[]Edit{{ownership + "rows.go", "if origin != Created && origin != Adopted {", `if origin == "" {`}}},
	{"an id in the status is evidence", "./" + ownership,
		[]Edit{{ownership + "upgrade.go", `(want.Name == "" || object.Name != want.Name)`, `object.ID == ""`}}},
	{"a short list is complete", "./" + ownership,
		[]Edit{{ownership + "observed.go", "if o.List.Rows < o.List.Total {", "if o.List.Rows < 0 {"}}},
	{"a list that contradicts a read is believed", "./" + ownership,
		[]Edit{{ownership + "observed.go", "case exists && !listed:", "case exists && !listed && o.List.Total < 0:"}}},
	{"a fact does not depend on the password", "./" + ownership,
		[]Edit{{ownership + "facts.go", "append([]string{name}, parts...)", "append([]string{name}, parts[:len(parts)-1]...)"}}},
	{"a root login is overwritten", "./" + domainController,
		[]Edit{{domainController + "root.go", `former != "" && former != id`, `former == "-" && former != id`}}},
	{"a password counts as accepted for any other one", "./pkg/controllers/takaro/user/",
		[]Edit{{"pkg/controllers/takaro/user/login.go", "id, password.Reveal()}", "id}"}}},
	{"objects of a namespace go whose end was not seen", "./pkg/controllers/orphans/",
		[]Edit{{"pkg/controllers/orphans/decide.go", "		case look.deleted:", "		case look.presence == absent:"}}},
}

// length is how long clients use a defective installation before the defect must be found.
const length = 45 * time.Second
