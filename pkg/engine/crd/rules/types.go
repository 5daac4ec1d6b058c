// SPDX-License-Identifier: Apache-2.0

package rules

const (
	whoRetyped = "Stored values keep their old type: clients that expect the new type cannot decode them. Objects with such a " +
		"value cannot be recreated, for example from a backup, and edits of the field and server-side apply are rejected. Updates " +
		"of other fields are accepted (ratcheting)."
	fixRetyped = "Add a field with the new type and another name, and let the operator read both fields. Alternatively, change " +
		"the type in a new version with a conversion webhook."
)

// typeRules cover fields whose type changes.
var typeRules = []Rule{
	{ID: "201", Change: "type string -> integer", Verdict: Breaking, Effects: retyped, Hits: Hits{Stored: true, Writers: true,
		SSAWriters: true, Readers: true, Rollback: true},
		What: "The type of a field changes to an incompatible type, such as from string to integer.",
		Who:  whoRetyped,
		Fix:  fixRetyped,
		Old:  "{type: string}", New: "{type: integer}", Object: "{spec: {f: x}}", After: "{spec: {f: 1}}"},
	{ID: "202", Change: "type integer -> number", Verdict: Review, Effects: loosened, Hits: hitsReaders,
		What: "The type of a field changes from integer to number.",
		Who: "Readers that decode the field as an integer fail on a fractional value. After a rollback, fractional values are " +
			"invalid.",
		Fix: "Update all readers before any client writes a fractional value.",
		Old: "{type: integer}", New: "{type: number}", Object: "{spec: {f: 1}}", After: "{spec: {f: 1.5}}"},
	{ID: "203", Change: "type number -> integer", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "The type of a field changes from number to integer.",
		Who: "Objects with a fractional value: they cannot be recreated, and writes of such a value are rejected. Integral values are " +
			"accepted.",
		Fix: "Round fractional values in all stored objects and manifests first, or add an integer field with another name.",
		Old: "{type: number}", New: "{type: integer}", Object: "{spec: {f: 1.5}}"},
	{ID: "204", Change: "type widened to several types", Verdict: Review, Effects: loosened, Hits: hitsReaders,
		What: "The field accepts values of additional types.",
		Who: "Readers that decode the field as the old type fail on values of another type. After a rollback, such values are " +
			"invalid.",
		Fix: "Update all readers before any client writes a value of a new type.",
		Old: "{type: string}", New: "{x-kubernetes-int-or-string: true}", Object: "{spec: {f: a}}", After: "{spec: {f: 1}}"},
	{ID: "205", Change: "int-or-string -> integer", Verdict: Breaking, Effects: retypedOneWay, Hits: Hits{Stored: true, Writers: true,
		SSAWriters: true, Readers: true},
		What: "The type of a field changes from int-or-string to integer.",
		Who: "Objects with a string value such as \"50%\": they cannot be recreated, and edits of the field and server-side apply are " +
			"rejected.",
		Fix: "Keep x-kubernetes-int-or-string. If only numbers are meaningful, let the operator report strings in a condition.",
		Old: "{x-kubernetes-int-or-string: true}", New: "{type: integer}", Object: "{spec: {f: 50%}}"},
	{ID: "207", Change: "scalar -> array", Verdict: Breaking, Effects: retyped, Hits: Hits{Stored: true, Writers: true, SSAWriters: true,
		Readers: true, Rollback: true},
		What: "The type of a field changes from a scalar to an array.",
		Who:  whoRetyped,
		Fix:  "Add a list with another name, such as the plural, and let the operator read both fields.",
		Old:  "{type: string}", New: "{type: array, items: {type: string}}", Object: "{spec: {f: x}}", After: "{spec: {f: [x]}}"},
	{ID: "208", Change: "object(properties) -> map(additionalProperties)", Verdict: Review, Effects: extended, Hits: hitsReaders,
		What: "An object with declared properties becomes a map.",
		Who: "Readers that decode the field as a struct ignore additional keys. A rollback prunes every key that the old schema does " +
			"not declare.",
		Fix: "Update readers to decode a map first. Before a rollback, save the values of undeclared keys.",
		Old: "{type: object, properties: {a: {type: string}}}", New: "{type: object, additionalProperties: {type: string}}",
		Object: "{spec: {f: {a: x}}}", After: "{spec: {f: {a: x, b: z}}}"},
	{ID: "209", Change: "map -> object(properties)", Verdict: Destructive, Effects: removed, Hits: hitsAll,
		What: "A map becomes an object with declared properties.",
		Who: "Stored objects: keys that are not declared are pruned on read and deleted at the next write. Server-side apply of a " +
			"manifest with such a key fails.",
		Fix: "Keep additionalProperties. If only some keys are meaningful, validate them with a CEL rule on the map.",
		Old: "{type: object, additionalProperties: {type: string}}", New: "{type: object, properties: {a: {type: string}}}",
		Object: "{spec: {f: {a: x, b: z}}}"},
	{ID: "211", Change: "additionalProperties true -> schema (tighten)", Verdict: Breaking, Hits: hitsTypes,
		Effects: Effects{"same", "rejected", "ok", "ok", "lost", "rejected", ""},
		What:    "The values of a map must match a schema; before, they were not validated.",
		Who: "Objects with values of another type: they cannot be recreated or applied. Note that additionalProperties: true " +
			"preserves the keys of a map, but prunes the content of objects in its values.",
		Fix: "Correct the values in all stored objects first, or allow all types that are in use, for example with " +
			"x-kubernetes-int-or-string.",
		Old: "{type: object, additionalProperties: true}", New: "{type: object, additionalProperties: {type: string}}",
		Object: "{spec: {f: {a: 1}}}"},
	{ID: "212", Change: "map value type changed string->integer", Verdict: Breaking, Effects: retypedOneWay, Hits: Hits{Stored: true,
		Writers: true, SSAWriters: true, Readers: true, Rollback: true},
		What: "The type of the values of a map changes to an incompatible type.",
		Who: "Objects with a map value of the old type: they cannot be recreated, and edits of these values and server-side apply are " +
			"rejected.",
		Fix: "Add a second map with another name and let the operator read both. Alternatively, change the type in a new version with " +
			"a conversion webhook.",
		Old: "{type: object, additionalProperties: {type: string}}", New: "{type: object, additionalProperties: {type: integer}}",
		Object: "{spec: {f: {a: x}}}"},
	{ID: "214", Change: "map value type widened string->int-or-string", Verdict: Review, Effects: loosened, Hits: hitsReaders,
		What:   "The values of a map accept additional types.",
		Who:    "Readers that decode the values as strings fail on numbers. After a rollback, numbers are invalid.",
		Fix:    "Update all readers before any client writes a number.",
		Old:    "{type: object, additionalProperties: {type: string}}",
		New:    "{type: object, additionalProperties: {x-kubernetes-int-or-string: true}}",
		Object: "{spec: {f: {a: x}}}", After: "{spec: {f: {a: 1}}}"},
	{ID: "215", Change: "free-form list items (preserve) -> typed items", Verdict: Destructive, Effects: removed, Hits: hitsAll,
		What: "The items of a list no longer preserve unknown fields.",
		Who: "Stored objects: keys of an item that are not declared are pruned on read and deleted at the next write. Server-side " +
			"apply of a manifest with such a key fails.",
		Fix: "Declare the known fields, and keep x-kubernetes-preserve-unknown-fields on the items.",
		Old: "{type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}",
		New: "{type: array, items: {type: object, properties: {a: {type: string}}}}", Object: "{spec: {f: [{a: x, b: z}]}}"},
	{ID: "219", Change: "string -> any (preserve-unknown, no type)", Verdict: Review, Hits: hitsReaders,
		Effects: Effects{"same", "ok", "ok", "ok", "ok", "ok", "pruned or rejected"},
		What:    "A string field accepts values of any type.",
		Who: "Readers that decode the field as a string fail on other values. After a rollback, the content of objects in this field " +
			"is pruned, and all values other than strings are invalid.",
		Fix: "Update all readers before any client writes another type, and list the allowed types in the description.",
		Old: "{type: string}", New: "{x-kubernetes-preserve-unknown-fields: true}", Object: "{spec: {f: x}}", After: "{spec: {f: {a: x}}}"},
	{ID: "220", Change: "any -> string", Verdict: Destructive, Hits: hitsAll,
		Effects: Effects{"pruned", "rejected", "ok", "ok", "lost", "rejected", ""},
		What:    "A field that accepted values of any type accepts only strings.",
		Who: "Stored objects with an object in this field: its content is pruned on read and deleted at the next write. Values of " +
			"another type than string are invalid: objects with such a value cannot be recreated or applied.",
		Fix: "Keep x-kubernetes-preserve-unknown-fields, and add a string field with another name.",
		Old: "{x-kubernetes-preserve-unknown-fields: true}", New: "{type: string}", Object: "{spec: {f: {a: x}}}"},
	{ID: "221", Change: "boolean -> string", Verdict: Breaking, Effects: retyped, Hits: Hits{Stored: true, Writers: true, SSAWriters: true,
		Readers: true, Rollback: true},
		What: "The type of a field changes from boolean to string.",
		Who:  whoRetyped,
		Fix: "Add a string field with another name and let the operator read both fields: if the string is unset, the boolean " +
			"applies.",
		Old: "{type: boolean}", New: "{type: string}", Object: "{spec: {f: true}}", After: "{spec: {f: x}}"},
}
