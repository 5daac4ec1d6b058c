// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"slices"
)

// All is the table of changes, by id.
var All = slices.SortedFunc(slices.Values(slices.Concat(
	fieldRules, typeRules, enumRules, boundRules, formatRules, defaultRules, nullRules, unknownRules, topologyRules,
	celRules, ratchetRules, junctorRules, docRules, nameRules, versionRules, conversionRules, setRules, refusedRules, liveRules,
)), func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })

// What was measured, in the order read, create, metadata update, sibling update, old client, apply, rollback.
var (
	untouched = Effects{"same", "ok", "ok", "ok", "ok", "ok", ""}
	// loosened: what is new is invalid after a rollback.
	loosened = Effects{"same", "ok", "ok", "ok", "ok", "ok", "rejected"}
	// extended: what is new is pruned after a rollback.
	extended = Effects{"same", "ok", "ok", "ok", "ok", "ok", "pruned"}
	removed  = Effects{"pruned", "ok", "ok", "ok", "lost", "rejected", ""}
	// tightened: a rule on the value itself, so that writes of other fields are ratcheted.
	tightened = Effects{"same", "rejected", "ok", "ok", "rejected", "ok", ""}
	// tightenedAt: as tightened, but what the client wrote was on the right side.
	tightenedAt = Effects{"same", "rejected", "ok", "ok", "ok", "ok", ""}
	// tightenedAround: a rule on the parent, which fails as soon as anything in it changes.
	tightenedAround = Effects{"same", "rejected", "ok", "rejected", "rejected", "ok", ""}
	retyped         = Effects{"same", "rejected", "ok", "ok", "rejected", "rejected", "rejected"}
	retypedOneWay   = Effects{"same", "rejected", "ok", "ok", "rejected", "rejected", ""}
	defaults        = Effects{"defaulted", "ok", "ok", "ok", "ok", "ok", ""}
	duplicates      = Effects{"same", "rejected", "ok", "ok", "ok", "rejected", ""}
	bricked         = Effects{"same", "rejected", "rejected", "rejected", "rejected", "ok", ""}
)

// Who is hit by the common kinds of change.
var (
	hitsOnRollback = Hits{Rollback: true}
	hitsReaders    = Hits{Readers: true, Rollback: true}
	hitsValues     = Hits{Stored: true, Writers: true}
	hitsTypes      = Hits{Stored: true, Writers: true, SSAWriters: true}
	hitsAll        = Hits{Stored: true, Writers: true, SSAWriters: true, Readers: true}
)

// Texts that several rules share.
const (
	whoRollback = "Nobody going forward. After a rollback, objects that use what is new are invalid: they cannot be made anew, and " +
		"writes of that value are rejected until it is changed."
	fixRollback = "Nothing before the upgrade. Before a rollback, bring back to the old limits every object that uses what is new."
	fixValues   = "Publish it first as a warning from the operator, correct every stored object that fails and every manifest that " +
		"makes one, and tighten in a later release; or do it in a new version with a conversion webhook."
)
