// SPDX-License-Identifier: Apache-2.0

package rules

// celRules are about x-kubernetes-validations.
var celRules = []Rule{
	{ID: "A01", Change: "CEL rule added on a leaf", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Objects whose value fails: they cannot be made anew, and writes of such a value are rejected. Updates that leave the " +
			"field alone are ratcheted. A rule that only reads fields that are new, and tests them with has(), hurts nobody.",
		Fix: fixValues,
		Old: "{type: string}", New: "{type: string, x-kubernetes-validations: [{rule: \"self.startsWith('x')\"}]}", Object: "{spec: {f: a}}"},
	{ID: "A02", Change: "CEL rule added on a parent", Verdict: Breaking, Effects: tightenedAround, Hits: hitsValues,
		Who: "Objects that fail: they cannot be made anew, and any edit anywhere below that parent is rejected, because the rule is " +
			"ratcheted only while the parent as a whole is unchanged. Updates of metadata only pass.",
		Fix: "Put the rule on the deepest field that it can be on; or make it a transition rule that lets old values pass: " +
			"\"has(self.f) || (oldSelf.hasValue() && !has(oldSelf.value().f))\" with optionalOldSelf. Correct stored objects first.",
		Scope: InSpec, Old: "{properties: {f: {type: string}}}",
		New:    "{properties: {f: {type: string}}, x-kubernetes-validations: [{rule: has(self.f)}]}",
		Object: "{spec: {other: a}}"},
	{ID: "A03", Change: "CEL transition rule added (immutability)", Verdict: Breaking, Hits: Hits{Writers: true},
		Effects: Effects{"same", "ok", "ok", "ok", "rejected", "ok", ""},
		Who: "Writers lose the right to change the field in the way that the rule forbids: edits, GitOps changes and rollbacks of " +
			"manifests are rejected. Stored objects are untouched, and creates pass.",
		Fix: "Tell users before, and say in the rule's message how to get to another value (delete and create anew). Check that no " +
			"controller writes the field.",
		Old: "{type: string}", New: "{type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}", Object: "{spec: {f: a}}"},
	{ID: "A04", Change: "CEL rule removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback, Who: whoRollback, Fix: fixRollback,
		Old: "{type: string, x-kubernetes-validations: [{rule: \"self.startsWith('x')\"}]}", New: "{type: string}", Object: "{spec: {f: xa}}",
		After: "{spec: {f: a}}"},
	{ID: "A05", Change: "CEL rule changed", Verdict: Breaking, Provable: true, Effects: tightened, Hits: hitsValues,
		Who: "Objects that the new rule refuses: they cannot be made anew, and writes that it refuses are rejected. Whether one rule " +
			"implies another cannot be decided in general: it is breaking unless proved.",
		Fix: "Replay the live objects against the new rule. Where the new rule is wider, write it as the old one with an added \"|| " +
			"…\", so that the proof is easy.",
		Old:    "{type: string, x-kubernetes-validations: [{rule: self.size() < 10}]}",
		New:    "{type: string, x-kubernetes-validations: [{rule: self.size() < 3}]}",
		Object: "{spec: {f: long}}"},
	{ID: "A06", Change: "CEL message only changed", Verdict: Informational, Effects: untouched,
		Who:    "Nobody, unless a program reads the text of the error.",
		Old:    "{type: string, x-kubernetes-validations: [{rule: self.size() < 10, message: a}]}",
		New:    "{type: string, x-kubernetes-validations: [{rule: self.size() < 10, message: b}]}",
		Object: "{spec: {f: a}}"},
	{ID: "A07", Change: "CEL transition rule on a parent (spec immutable)", Verdict: Breaking, Hits: hitsValues,
		Effects: Effects{"same", "ok", "ok", "rejected", "rejected", "ok", ""},
		Who: "Everybody who edits anything below that parent: all of it is immutable from now on. Fields that are new, and " +
			"defaults that come later, cannot be set on stored objects either.",
		Fix:   "Put the transition rule on the few fields that cannot change, not on their parent.",
		Scope: InSpec, Old: "{properties: {f: {type: string}}}",
		New:    "{properties: {f: {type: string}}, x-kubernetes-validations: [{rule: self == oldSelf}]}",
		Object: "{spec: {f: a, other: b}}"},
	{ID: "A08", Change: "CEL rule with optionalOldSelf added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "As with a transition rule, but creates as well: with optionalOldSelf the rule also runs where there is no old value. " +
			"Objects that fail it cannot be made anew.",
		Fix:    "Let creates pass: \"!oldSelf.hasValue() || self == oldSelf.value()\".",
		Old:    "{type: string}",
		New:    "{type: string, x-kubernetes-validations: [{rule: oldSelf.hasValue() && self == oldSelf.value(), optionalOldSelf: true}]}",
		Object: "{spec: {f: a}}"},
	{ID: "A10", Change: "bound removed that keeps a CEL rule within its cost", Verdict: Refused, Effects: Effects{"same", "ok",
		"ok", "ok", "", "ok", ""},
		Who: "Whoever applies the definition: the API server estimates the cost of each rule from maxItems, maxLength and " +
			"maxProperties, and refuses the definition where it is over the budget.",
		Fix: "Keep the bounds that the rule needs, or make the rule cheaper; a high bound is enough.",
		Old: "{type: array, maxItems: 5, items: {type: string, maxLength: 10, x-kubernetes-validations: [{rule: self.contains(self)}]}}",
		New: "{type: array, items: {type: string, x-kubernetes-validations: [{rule: self.contains(self)}]}}"},
}

// ratchetRules are about what the API server does not forgive stored objects.
var ratchetRules = []Rule{
	{ID: "R01", Change: "required added where unknown content is preserved", Verdict: Destructive, Effects: bricked, Hits: hitsValues,
		Who: "Objects that lack the field and hold undeclared keys anywhere below: such an object never equals its old self, so " +
			"nothing is ratcheted. Every update is rejected, even the removal of a finalizer: the object cannot be deleted.",
		Fix:   "Give the field a default, or leave it optional. Never add a rule above a node that preserves unknown fields.",
		Scope: InSpec, Old: "{properties: {f: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
		New:    "{properties: {f: {type: object, x-kubernetes-preserve-unknown-fields: true}, g: {type: string}}, required: [g]}",
		Object: "{spec: {f: {b: x}}}"},
	{ID: "R02", Change: "root-level required added", Verdict: Destructive, Effects: bricked, Hits: hitsValues,
		Who: "Objects without the field. The root holds metadata, so it differs in every update and is never ratcheted: every " +
			"update is rejected, even the removal of a finalizer, and the object cannot be deleted.",
		Fix:   "Require nothing at the root. Give the field a default, or put the requirement deeper.",
		Scope: InRoot, Old: "{properties: {spec: {type: object, properties: {other: {type: string}}}, data: {type: string}}}",
		New:    "{properties: {spec: {type: object, properties: {other: {type: string}}}, data: {type: string}}, required: [data]}",
		Object: "{spec: {other: a}}"},
	{ID: "R03", Change: "root-level CEL rule added", Verdict: Destructive, Effects: bricked, Hits: hitsValues,
		Who: "Objects that fail the rule. The root holds metadata, so it differs in every update and is never ratcheted: every " +
			"update is rejected, even the removal of a finalizer, and the object cannot be deleted.",
		Fix: "Put the rule on spec or deeper. If it must be at the root, correct every stored object first, and let an object that " +
			"is being deleted pass.",
		Scope: InRoot, Old: "{properties: {spec: {type: object, properties: {f: {type: string}, other: {type: string}}}}}",
		New: "{properties: {spec: {type: object, properties: {f: {type: string}, other: {type: string}}}}, " +
			"x-kubernetes-validations: [{rule: has(self.spec.f)}]}",
		Object: "{spec: {other: a}}"},
	{ID: "R04", Change: "maxProperties added or decreased", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		Who: "Maps with more entries: they cannot be made anew, and any edit in the map is rejected, unless it makes it small enough. " +
			"While the map is unchanged, writes beside it are ratcheted.",
		Fix:    "Set the limit above the largest map in use.",
		Old:    "{type: object, additionalProperties: {type: string}}",
		New:    "{type: object, additionalProperties: {type: string}, maxProperties: 1}",
		Object: "{spec: {f: {a: x, b: z}}}"},
	{ID: "R05", Change: "CEL rule on metadata.name added", Verdict: Destructive, Effects: bricked, Hits: hitsValues,
		Who: "Objects whose name fails: a name cannot change, and a rule at the root is never ratcheted. Every update is rejected, " +
			"even the removal of a finalizer, so they can be neither mended nor deleted.",
		Fix: "Check names in admission, on create only; or make it a transition rule with optionalOldSelf that lets stored objects " +
			"pass: \"oldSelf.hasValue() || size(self.metadata.name) < 64\".",
		Scope: InRoot, Old: "{properties: {spec: {type: object, properties: {other: {type: string}}}}}",
		New: "{properties: {spec: {type: object, properties: {other: {type: string}}}}, x-kubernetes-validations: [{rule: " +
			"size(self.metadata.name) < 3}]}",
		Object: "{spec: {other: a}}"},
}
