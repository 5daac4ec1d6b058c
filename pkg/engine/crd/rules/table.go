// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"slices"
)

// All is the table of changes, sorted by ID.
var All = slices.SortedFunc(slices.Values(slices.Concat(
	fieldRules, typeRules, enumRules, boundRules, formatRules, defaultRules, nullRules, unknownRules, topologyRules,
	celRules, ratchetRules, junctorRules, docRules, nameRules, versionRules, conversionRules, setRules, refusedRules, liveRules,
)), func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })

// Measured effects, in the order read, create, metadata update, sibling update, old client, apply, rollback.
var (
	untouched = Effects{"same", "ok", "ok", "ok", "ok", "ok", ""}
	// loosened: new values are invalid after a rollback.
	loosened = Effects{"same", "ok", "ok", "ok", "ok", "ok", "rejected"}
	// extended: new fields are pruned after a rollback.
	extended = Effects{"same", "ok", "ok", "ok", "ok", "ok", "pruned"}
	removed  = Effects{"pruned", "ok", "ok", "ok", "lost", "rejected", ""}
	// tightened: a constraint of the value itself, so that ratcheting covers writes of other fields.
	tightened = Effects{"same", "rejected", "ok", "ok", "rejected", "ok", ""}
	// tightenedAt: as tightened, but the write of the old client in the measurement satisfies the constraint.
	tightenedAt = Effects{"same", "rejected", "ok", "ok", "ok", "ok", ""}
	// tightenedAround: a constraint of the parent, to which ratcheting applies only while the parent is unchanged.
	tightenedAround = Effects{"same", "rejected", "ok", "rejected", "rejected", "ok", ""}
	retyped         = Effects{"same", "rejected", "ok", "ok", "rejected", "rejected", "rejected"}
	retypedOneWay   = Effects{"same", "rejected", "ok", "ok", "rejected", "rejected", ""}
	defaults        = Effects{"defaulted", "ok", "ok", "ok", "ok", "ok", ""}
	duplicates      = Effects{"same", "rejected", "ok", "ok", "ok", "rejected", ""}
	bricked         = Effects{"same", "rejected", "rejected", "rejected", "rejected", "ok", ""}
)

// Who is affected by the common kinds of changes.
var (
	hitsOnRollback = Hits{Rollback: true}
	hitsReaders    = Hits{Readers: true, Rollback: true}
	hitsValues     = Hits{Stored: true, Writers: true}
	hitsTypes      = Hits{Stored: true, Writers: true, SSAWriters: true}
	hitsAll        = Hits{Stored: true, Writers: true, SSAWriters: true, Readers: true}
)

// Texts that several rules have in common.
const (
	whoRollback = "Nobody during the upgrade. After a rollback, objects with a value that only the new schema allows are " +
		"invalid: they cannot be recreated, and writes of the value are rejected until it is changed."
	fixRollback = "No action is required before the upgrade. Before a rollback, change all values that only the new schema " +
		"allows."
	fixValues = "Let the operator report invalid values as a warning first. Correct all stored objects and manifests that have " +
		"such values, and add the constraint in a later release. Alternatively, add it in a new version with a conversion webhook."
)
