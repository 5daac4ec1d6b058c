// SPDX-License-Identifier: Apache-2.0

package rules

// celRules cover x-kubernetes-validations.
var celRules = []Rule{
	{ID: "A01", Change: "CEL rule added on a leaf", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A CEL rule is added to a scalar field or list item.",
		Who: "Objects with a value that fails the rule: they cannot be recreated, and writes of such a value are rejected. Updates " +
			"that do not change the field are accepted (ratcheting). A rule that reads only new fields, and checks them with has(), " +
			"affects nobody.",
		Fix: fixValues,
		Old: "{type: string}", New: "{type: string, x-kubernetes-validations: [{rule: \"self.startsWith('x')\"}]}", Object: "{spec: {f: a}}"},
	{ID: "A02", Change: "CEL rule added on a parent", Verdict: Breaking, Effects: tightenedAround, Hits: hitsValues,
		What: "A CEL rule is added to an object, list or map.",
		Who: "Objects that fail the rule: they cannot be recreated, and edits of any field below the object are rejected, because " +
			"ratcheting covers the rule only while the object is unchanged. Updates of metadata only are accepted.",
		Fix: "Move the rule to the most deeply nested field possible. Alternatively, write a transition rule with optionalOldSelf " +
			"that accepts old values: \"has(self.f) || (oldSelf.hasValue() && !has(oldSelf.value().f))\". Correct the stored objects " +
			"first.",
		Scope: InSpec, Old: "{properties: {f: {type: string}}}",
		New:    "{properties: {f: {type: string}}, x-kubernetes-validations: [{rule: has(self.f)}]}",
		Object: "{spec: {other: a}}"},
	{ID: "A03", Change: "CEL transition rule added (immutability)", Verdict: Breaking, Hits: Hits{Writers: true},
		Effects: Effects{"same", "ok", "ok", "ok", "rejected", "ok", ""},
		What:    "A CEL transition rule is added to a field, for example to make it immutable.",
		Who: "Writers that change the field in a way that the rule forbids: edits, changes by GitOps tools and rollbacks of manifests " +
			"are rejected. Stored objects are not affected, and creates are accepted.",
		Fix: "Announce the change to users, and describe in the message of the rule how to set another value, for example by deleting " +
			"and recreating the object. Verify that no controller writes the field.",
		Old: "{type: string}", New: "{type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}", Object: "{spec: {f: a}}"},
	{ID: "A04", Change: "CEL rule removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		What: "A CEL rule is removed.",
		Who:  whoRollback,
		Fix:  fixRollback,
		Old:  "{type: string, x-kubernetes-validations: [{rule: \"self.startsWith('x')\"}]}", New: "{type: string}", Object: "{spec: {f: xa}}",
		After: "{spec: {f: a}}"},
	{ID: "A05", Change: "CEL rule changed", Verdict: Breaking, Provable: true, Effects: tightened, Hits: hitsValues,
		What: "The expression of a CEL rule changes.",
		Who: "Objects that fail the new rule: they cannot be recreated, and writes that fail the rule are rejected. In general it is " +
			"undecidable whether one rule implies another, so the change is breaking unless the implication is proved.",
		Fix: "Check the live objects against the new rule with --live. If the new rule accepts more values, write it as the old rule " +
			"with an additional \"|| …\" to make the proof possible.",
		Old:    "{type: string, x-kubernetes-validations: [{rule: self.size() < 10}]}",
		New:    "{type: string, x-kubernetes-validations: [{rule: self.size() < 3}]}",
		Object: "{spec: {f: long}}"},
	{ID: "A06", Change: "only the message of a CEL rule changed", Verdict: Informational, Effects: untouched,
		What:   "The message of a CEL rule changes, but not its expression.",
		Who:    "Nobody, unless a program parses the text of the error.",
		Old:    "{type: string, x-kubernetes-validations: [{rule: self.size() < 10, message: a}]}",
		New:    "{type: string, x-kubernetes-validations: [{rule: self.size() < 10, message: b}]}",
		Object: "{spec: {f: a}}"},
	{ID: "A07", Change: "CEL transition rule on a parent (spec immutable)", Verdict: Breaking, Hits: hitsValues,
		Effects: Effects{"same", "ok", "ok", "rejected", "rejected", "ok", ""},
		What:    "A CEL transition rule is added to an object, for example to make `spec` immutable.",
		Who: "Writers that edit any field below the object: all of them are immutable. New fields and new defaults cannot be set in " +
			"stored objects either.",
		Fix:   "Add the transition rule to the fields that must not change, not to their parent.",
		Scope: InSpec, Old: "{properties: {f: {type: string}}}",
		New:    "{properties: {f: {type: string}}, x-kubernetes-validations: [{rule: self == oldSelf}]}",
		Object: "{spec: {f: a, other: b}}"},
	{ID: "A08", Change: "CEL rule with optionalOldSelf added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A CEL rule with `optionalOldSelf` is added. Unlike other transition rules, it is also evaluated if there is no old " +
			"value.",
		Who: "Writers that change the field in a way that the rule forbids. Creates are affected, too: objects that fail the rule " +
			"cannot be created or recreated.",
		Fix:    "Accept creates: \"!oldSelf.hasValue() || self == oldSelf.value()\".",
		Old:    "{type: string}",
		New:    "{type: string, x-kubernetes-validations: [{rule: oldSelf.hasValue() && self == oldSelf.value(), optionalOldSelf: true}]}",
		Object: "{spec: {f: a}}"},
	{ID: "A10", Change: "limit removed that bounds the cost of a CEL rule", Verdict: Refused, Effects: Effects{"same", "ok",
		"ok", "ok", "", "ok", ""},
		What: "A limit such as maxItems is removed, and the estimated cost of a CEL rule exceeds the budget.",
		Who: "Clients that apply the CRD: the API server estimates the cost of each rule from maxItems, maxLength and maxProperties, " +
			"and rejects the CRD if the cost exceeds the budget.",
		Fix: "Keep the limits that the rule needs, or simplify the rule. A high limit is sufficient.",
		Old: "{type: array, maxItems: 5, items: {type: string, maxLength: 10, x-kubernetes-validations: [{rule: self.contains(self)}]}}",
		New: "{type: array, items: {type: string, x-kubernetes-validations: [{rule: self.contains(self)}]}}"},
}

// ratchetRules cover constraints to which ratcheting does not apply.
var ratchetRules = []Rule{
	{ID: "R01", Change: "required added to an object that contains unknown fields", Verdict: Destructive, Effects: bricked, Hits: hitsValues,
		What: "A field is required in an object that contains, at any depth, a field that preserves unknown fields.",
		Who: "Objects without the field that have undeclared keys. Ratcheting does not apply to them, because such a value never " +
			"equals its previous state. Every update is rejected, including the removal of a finalizer, so the objects cannot be " +
			"deleted.",
		Fix:   "Add a default for the field, or keep it optional. Do not add constraints above a field that preserves unknown fields.",
		Scope: InSpec, Old: "{properties: {f: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
		New:    "{properties: {f: {type: object, x-kubernetes-preserve-unknown-fields: true}, g: {type: string}}, required: [g]}",
		Object: "{spec: {f: {b: x}}}"},
	{ID: "R02", Change: "root-level required added", Verdict: Destructive, Effects: bricked, Hits: hitsValues,
		What: "A field is required at the root of the schema.",
		Who: "Objects without the field. Ratcheting does not apply to the root of an object, because it contains metadata, which " +
			"every update changes. Every update is rejected, including the removal of a finalizer, so the objects cannot be deleted.",
		Fix:   "Do not require fields at the root. Add a default for the field, or move the requirement to a nested object.",
		Scope: InRoot, Old: "{properties: {spec: {type: object, properties: {other: {type: string}}}, data: {type: string}}}",
		New:    "{properties: {spec: {type: object, properties: {other: {type: string}}}, data: {type: string}}, required: [data]}",
		Object: "{spec: {other: a}}"},
	{ID: "R03", Change: "root-level CEL rule added", Verdict: Destructive, Effects: bricked, Hits: hitsValues,
		What: "A CEL rule is added at the root of the schema.",
		Who: "Objects that fail the rule. Ratcheting does not apply to the root of an object, because it contains metadata, which " +
			"every update changes. Every update is rejected, including the removal of a finalizer, so the objects cannot be deleted.",
		Fix: "Move the rule to spec or to a nested field. If it must be at the root, correct all stored objects first, and let the " +
			"rule accept objects that are being deleted.",
		Scope: InRoot, Old: "{properties: {spec: {type: object, properties: {f: {type: string}, other: {type: string}}}}}",
		New: "{properties: {spec: {type: object, properties: {f: {type: string}, other: {type: string}}}}, " +
			"x-kubernetes-validations: [{rule: has(self.spec.f)}]}",
		Object: "{spec: {other: a}}"},
	{ID: "R04", Change: "maxProperties added or decreased", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		What: "A map has a maximum number of entries, or a lower one.",
		Who: "Objects with a larger map: they cannot be recreated, and every edit of the map is rejected, unless it reduces the map " +
			"to the limit. Updates that do not change the map are accepted (ratcheting).",
		Fix:    "Set the limit higher than the size of the largest map in use.",
		Old:    "{type: object, additionalProperties: {type: string}}",
		New:    "{type: object, additionalProperties: {type: string}, maxProperties: 1}",
		Object: "{spec: {f: {a: x, b: z}}}"},
	{ID: "R05", Change: "CEL rule on metadata.name added", Verdict: Destructive, Effects: bricked, Hits: hitsValues,
		What: "A CEL rule at the root of the schema validates `metadata.name`.",
		Who: "Objects whose name fails the rule. A name is immutable, and ratcheting does not apply to the root of an object. Every " +
			"update is rejected, including the removal of a finalizer, so the objects can be neither corrected nor deleted.",
		Fix: "Validate names in admission, on create only. Alternatively, write a transition rule with optionalOldSelf that accepts " +
			"stored objects: \"oldSelf.hasValue() || size(self.metadata.name) < 64\".",
		Scope: InRoot, Old: "{properties: {spec: {type: object, properties: {other: {type: string}}}}}",
		New: "{properties: {spec: {type: object, properties: {other: {type: string}}}}, x-kubernetes-validations: [{rule: " +
			"size(self.metadata.name) < 3}]}",
		Object: "{spec: {other: a}}"},
}
