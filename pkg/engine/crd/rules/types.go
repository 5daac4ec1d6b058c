// SPDX-License-Identifier: Apache-2.0

package rules

const (
	whoRetyped = "Stored values keep their old type and cannot be decoded by clients that are typed anew. Objects with one cannot " +
		"be made anew; edits of the field and server-side apply are rejected. Writes of other fields are ratcheted."
	fixRetyped = "Add a field of the new type under another name and let the operator read both, or change the type in a new " +
		"version with a conversion webhook."
)

// typeRules are about fields whose type changes.
var typeRules = []Rule{
	{ID: "201", Change: "type string -> integer", Verdict: Breaking, Effects: retyped, Hits: Hits{Stored: true, Writers: true,
		SSAWriters: true, Readers: true, Rollback: true},
		Who: whoRetyped, Fix: fixRetyped,
		Old: "{type: string}", New: "{type: integer}", Object: "{spec: {f: x}}", After: "{spec: {f: 1}}"},
	{ID: "202", Change: "type integer -> number", Verdict: Review, Effects: loosened, Hits: hitsReaders,
		Who: "Readers that decode the field as an integer fail on the first fraction. After a rollback fractions are invalid.",
		Fix: "Update all readers before anybody writes a fraction.",
		Old: "{type: integer}", New: "{type: number}", Object: "{spec: {f: 1}}", After: "{spec: {f: 1.5}}"},
	{ID: "203", Change: "type number -> integer", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Values with a fraction: objects that hold one cannot be made anew, and writes of one are rejected. Whole numbers pass.",
		Fix: "Round the fractions in every stored object and manifest first; or add an integer field under another name.",
		Old: "{type: number}", New: "{type: integer}", Object: "{spec: {f: 1.5}}"},
	{ID: "204", Change: "type widened to several types", Verdict: Review, Effects: loosened, Hits: hitsReaders,
		Who: "Readers that decode the field as the old type fail on the first value of another. After a rollback such values are invalid.",
		Fix: "Update all readers before anybody writes a value of the new type.",
		Old: "{type: string}", New: "{x-kubernetes-int-or-string: true}", Object: "{spec: {f: a}}", After: "{spec: {f: 1}}"},
	{ID: "205", Change: "int-or-string -> integer", Verdict: Breaking, Effects: retypedOneWay, Hits: Hits{Stored: true, Writers: true,
		SSAWriters: true, Readers: true},
		Who: "Stored texts such as \"50%\": they cannot be made anew, and edits of the field and server-side apply are rejected.",
		Fix: "Keep x-kubernetes-int-or-string. If only numbers make sense, have the operator report texts in a condition.",
		Old: "{x-kubernetes-int-or-string: true}", New: "{type: integer}", Object: "{spec: {f: 50%}}"},
	{ID: "207", Change: "scalar -> array", Verdict: Breaking, Effects: retyped, Hits: Hits{Stored: true, Writers: true, SSAWriters: true,
		Readers: true, Rollback: true},
		Who: whoRetyped, Fix: "Add a list under another name, such as the plural, and let the operator read both.",
		Old: "{type: string}", New: "{type: array, items: {type: string}}", Object: "{spec: {f: x}}", After: "{spec: {f: [x]}}"},
	{ID: "208", Change: "object(properties) -> map(additionalProperties)", Verdict: Review, Effects: extended, Hits: hitsReaders,
		Who: "Readers that decode the field as a struct miss the new keys. A rollback prunes every key that the old schema does not declare.",
		Fix: "Update readers to a map first. Before a rollback, save what stands under undeclared keys.",
		Old: "{type: object, properties: {a: {type: string}}}", New: "{type: object, additionalProperties: {type: string}}",
		Object: "{spec: {f: {a: x}}}", After: "{spec: {f: {a: x, b: z}}}"},
	{ID: "209", Change: "map -> object(properties)", Verdict: Destructive, Effects: removed, Hits: hitsAll,
		Who: "Every key that is not declared is pruned on read and lost at the next write; server-side apply of a manifest with one fails.",
		Fix: "Keep additionalProperties. If only some keys make sense, check them with a CEL rule on the map.",
		Old: "{type: object, additionalProperties: {type: string}}", New: "{type: object, properties: {a: {type: string}}}",
		Object: "{spec: {f: {a: x, b: z}}}"},
	{ID: "211", Change: "additionalProperties true -> schema (tighten)", Verdict: Breaking, Hits: hitsTypes,
		Effects: Effects{"same", "rejected", "ok", "ok", "lost", "rejected", ""},
		Who: "Values of another type: they cannot be made anew and not be applied. Mind that additionalProperties: true keeps the " +
			"keys of a map, but prunes what is inside of objects below them.",
		Fix: "Correct the values in every stored object first, or allow all types that are in use, such as x-kubernetes-int-or-string.",
		Old: "{type: object, additionalProperties: true}", New: "{type: object, additionalProperties: {type: string}}",
		Object: "{spec: {f: {a: 1}}}"},
	{ID: "212", Change: "map value type changed string->integer", Verdict: Breaking, Effects: retypedOneWay, Hits: Hits{Stored: true,
		Writers: true, SSAWriters: true, Readers: true, Rollback: true},
		Who: "Every stored map with a value of the old type: it cannot be made anew; edits of those values and server-side apply are rejected.",
		Fix: "Add a second map under another name and let the operator read both, or change the type in a new version with a conversion webhook.",
		Old: "{type: object, additionalProperties: {type: string}}", New: "{type: object, additionalProperties: {type: integer}}",
		Object: "{spec: {f: {a: x}}}"},
	{ID: "214", Change: "map value type widened string->int-or-string", Verdict: Review, Effects: loosened, Hits: hitsReaders,
		Who:    "Readers that decode the values as text fail on the first number. After a rollback numbers are invalid.",
		Fix:    "Update all readers before anybody writes a number.",
		Old:    "{type: object, additionalProperties: {type: string}}",
		New:    "{type: object, additionalProperties: {x-kubernetes-int-or-string: true}}",
		Object: "{spec: {f: {a: x}}}", After: "{spec: {f: {a: 1}}}"},
	{ID: "215", Change: "free-form list items (preserve) -> typed items", Verdict: Destructive, Effects: removed, Hits: hitsAll,
		Who: "Every key of an item that is not declared is pruned on read and lost at the next write; server-side apply of a manifest " +
			"with one fails.",
		Fix: "Declare the known fields and keep x-kubernetes-preserve-unknown-fields on the items.",
		Old: "{type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}",
		New: "{type: array, items: {type: object, properties: {a: {type: string}}}}", Object: "{spec: {f: [{a: x, b: z}]}}"},
	{ID: "219", Change: "string -> any (preserve-unknown, no type)", Verdict: Review, Hits: hitsReaders,
		Effects: Effects{"same", "ok", "ok", "ok", "ok", "ok", "pruned or rejected"},
		Who: "Readers that decode the field as text fail on the first other value. After a rollback, objects in this place are " +
			"emptied and everything else but text is invalid.",
		Fix: "Update all readers before anybody writes another type, and name the allowed types in the description.",
		Old: "{type: string}", New: "{x-kubernetes-preserve-unknown-fields: true}", Object: "{spec: {f: x}}", After: "{spec: {f: {a: x}}}"},
	{ID: "220", Change: "any -> string", Verdict: Destructive, Hits: hitsAll,
		Effects: Effects{"pruned", "rejected", "ok", "ok", "lost", "rejected", ""},
		Who: "Stored objects in this place are emptied on read, lost at the next write, and then of the wrong type: they cannot " +
			"be made anew or applied.",
		Fix: "Keep x-kubernetes-preserve-unknown-fields and add a text field under another name.",
		Old: "{x-kubernetes-preserve-unknown-fields: true}", New: "{type: string}", Object: "{spec: {f: {a: x}}}"},
	{ID: "221", Change: "boolean -> string", Verdict: Breaking, Effects: retyped, Hits: Hits{Stored: true, Writers: true, SSAWriters: true,
		Readers: true, Rollback: true},
		Who: whoRetyped, Fix: "Add a text field under another name and let the operator read both: where it is unset, the boolean counts.",
		Old: "{type: boolean}", New: "{type: string}", Object: "{spec: {f: true}}", After: "{spec: {f: x}}"},
}
