// SPDX-License-Identifier: Apache-2.0

package rules

// defaultRules are about defaults, which the API server fills in on every read and write.
var defaultRules = []Rule{
	{ID: "601", Change: "default added", Verdict: Review, Effects: defaults, Hits: Hits{Stored: true, Readers: true},
		Who: "Every stored object without the field reads with the default at once, and keeps it from its next write on. Operators " +
			"may reconcile or roll pods anew; \"unset\" can no longer be told from the default.",
		Fix: "Choose as default what the operator did until now for objects without the field.",
		Old: "{type: string}", New: "{type: string, default: d}", Object: "{spec: {other: a}}"},
	{ID: "602", Change: "default changed", Verdict: Review, Effects: untouched, Hits: Hits{Stored: true, Writers: true, Readers: true},
		Who: "Objects that were stored before there was a default, and never written since, change their value on read. Those written " +
			"since carry the old default and keep it. New objects get the new one.",
		Fix: "Decide which value stored objects shall have, and write it into all of them before the upgrade.",
		Old: "{type: string, default: d}", New: "{type: string, default: e}", Object: "{spec: {other: a}}"},
	{ID: "603", Change: "default removed from an optional field", Verdict: Review, Effects: untouched, Hits: Hits{Stored: true,
		Writers: true, Readers: true},
		Who: "New objects, and those stored before there was a default and never written since, read without the field. Readers that " +
			"count on it find nothing. Objects written since keep the value.",
		Fix: "Make readers cope with an absent field first; or keep the default.",
		Old: "{type: string, default: d}", New: "{type: string}", Object: "{spec: {other: a}}"},
	{ID: "604", Change: "default removed, field required", Verdict: Breaking, Hits: hitsValues,
		Effects: Effects{"same", "ok", "ok", "ok", "rejected", "ok", ""},
		Who: "Writers that leave the field out are rejected. Objects stored before there was a default, and never written since, " +
			"miss a required field: they accept updates of metadata only.",
		Fix:   "Keep the default while the field is required, or make the field optional.",
		Scope: InSpec, Old: "{properties: {f: {type: string, default: d}}, required: [f]}",
		New:    "{properties: {f: {type: string}}, required: [f]}",
		Object: "{spec: {other: a}}"},
	{ID: "605", Change: "default added in object under absent optional parent", Verdict: Review, Effects: untouched,
		Hits: Hits{Stored: true, Readers: true},
		Who:  "Only objects that have the parent: there the default appears on every read. Where the parent is absent, nothing is filled in.",
		Fix:  "Choose as default what the operator did until now for objects without the field.",
		Old:  "{type: object, properties: {h: {type: string}}}", New: "{type: object, properties: {h: {type: string, default: d}}}",
		Object: "{spec: {other: a}}"},
	{ID: "606", Change: "default {} added on parent with child default", Verdict: Review, Effects: defaults,
		Hits: Hits{Stored: true, Readers: true},
		Who: "Every stored object reads with the parent and its defaulted children at once. Where an absent parent means \"switched " +
			"off\", it is switched on.",
		Fix: "Add the default {} only where an absent parent and one with defaults mean the same to the operator.",
		Old: "{type: object, properties: {h: {type: string}}}", New: "{type: object, default: {}, properties: {h: {type: string, default: d}}}",
		Object: "{spec: {other: a}}"},
	{ID: "607", Change: "new optional field with default", Verdict: Review, Hits: Hits{Stored: true, Readers: true, Rollback: true},
		Effects: Effects{"defaulted", "ok", "ok", "ok", "ok", "ok", "pruned"},
		Who: "Every stored object reads with the new field at once, and keeps it from its next write on: operators may reconcile " +
			"or roll pods anew. A rollback prunes it.",
		Fix:   "Check that the default is what objects without the field did until now.",
		Scope: InSpec, Old: "{properties: {other: {type: string}}}", New: "{properties: {f: {type: string, default: d}}}",
		Object: "{spec: {other: a}}", After: "{spec: {f: x}}"},
	{ID: "608", Change: "default violates the schema", Verdict: Refused, Effects: Effects{"same", "ok", "ok", "ok", "", "ok", ""},
		Who: "Whoever applies the definition: the API server refuses a default that its own schema does not allow.",
		Fix: "Change the default together with the rule that it violates.",
		Old: "{type: string, enum: [a, b], default: b}", New: "{type: string, enum: [a], default: b}"},
	{ID: "609", Change: "default only reformatted (JSON whitespace/number form)", Verdict: Informational, Effects: Effects{"same", "ok",
		"ok", "ok", "", "ok", ""},
		Who: "Nobody: defaults are compared as values, not as text.",
		Old: "{type: object, properties: {a: {type: integer}}, default: {a: 1}}",
		New: "{type: object, properties: {a: {type: integer}}, default: {\"a\": 1.0}}"},
	{ID: "610", Change: "default added in list item property", Verdict: Review, Effects: defaults, Hits: Hits{Stored: true,
		SSAWriters: true, Readers: true},
		Who: "Every stored item without the field reads with the default at once. Where the field is a key of a map list, items get " +
			"another identity for server-side apply.",
		Fix:    "Choose as default what the operator did until now for items without the field.",
		Old:    "{type: array, items: {type: object, properties: {k: {type: string}, p: {type: string}}}}",
		New:    "{type: array, items: {type: object, properties: {k: {type: string}, p: {type: string, default: TCP}}}}",
		Object: "{spec: {f: [{k: a}]}}"},
	{ID: "611", Change: "optional -> required together with default", Verdict: Review, Effects: defaults,
		Hits: Hits{Stored: true, Readers: true},
		Who: "Nothing is rejected, because stored objects get the default on read; but all of them change, and operators may " +
			"reconcile or roll pods anew.",
		Fix:   "Choose as default what the operator did until now for objects without the field.",
		Scope: InSpec, Old: "{properties: {f: {type: string}}}", New: "{properties: {f: {type: string, default: d}}, required: [f]}",
		Object: "{spec: {other: a}}"},
}
