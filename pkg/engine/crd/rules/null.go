// SPDX-License-Identifier: Apache-2.0

package rules

// nullRules cover nullable.
var nullRules = []Rule{
	{ID: "701", Change: "nullable removed", Verdict: Review, Effects: Effects{"dropped", "ok", "ok", "ok", "lost", "ok", ""},
		Hits: Hits{Stored: true, Writers: true, Readers: true},
		What: "A field is no longer nullable.",
		Who: "Objects with a null in the field: the null is dropped on read without an error, and deleted at the next write. If null " +
			"has another meaning than an unset field, such as \"no limit\" or \"disabled\", the meaning of the object changes.",
		Fix: "Keep nullable. If null and unset have the same meaning, let the operator treat them alike first, and remove the nulls " +
			"from stored objects.",
		Old: "{type: string, nullable: true}", New: "{type: string}", Object: "{spec: {f: null}}"},
	{ID: "702", Change: "nullable removed, field has default", Verdict: Breaking, Effects: defaults, Hits: Hits{Stored: true,
		Writers: true, Readers: true},
		What: "A field with a default is no longer nullable.",
		Who: "Objects with a null in the field: reads return the default instead, without an error. A feature that null disabled is " +
			"enabled.",
		Fix: "Keep nullable, or replace each null in stored objects and manifests with an explicit value.",
		Old: "{type: string, nullable: true, default: d}", New: "{type: string, default: d}", Object: "{spec: {f: null}}"},
	{ID: "703", Change: "nullable removed in list items", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "The items of a list are no longer nullable.",
		Who: "Objects with a null in the list: unlike the null of a field, a null item is not dropped, but invalid. The objects " +
			"cannot be recreated, and edits of the list are rejected.",
		Fix: "Remove null items from stored objects and manifests first.",
		Old: "{type: array, items: {type: string, nullable: true}}", New: "{type: array, items: {type: string}}", Object: "{spec: {f: [null]}}"},
	{ID: "704", Change: "nullable added", Verdict: Review, Effects: extended, Hits: hitsReaders,
		What: "A field is nullable.",
		Who: "Readers find null where they expect a value or an unset field. Before, null was dropped or replaced with the default; " +
			"now it is stored. A rollback drops it again.",
		Fix: "Update readers first, and describe the meaning of null in the description of the field.",
		Old: "{type: string}", New: "{type: string, nullable: true}", Object: "{spec: {f: a}}", After: "{spec: {f: null}}"},
	{ID: "705", Change: "nullable removed, field required", Verdict: Breaking, Hits: Hits{Stored: true, Writers: true, Readers: true},
		Effects: Effects{"dropped", "rejected", "ok", "rejected", "lost", "ok", ""},
		What:    "A required field is no longer nullable.",
		Who: "Objects with a null in the field: the null is dropped on read, and then a required field is missing. The objects cannot " +
			"be recreated, and edits of the parent are rejected.",
		Fix:   "Keep nullable. Alternatively, make the field optional or add a default in the same change.",
		Scope: InSpec, Old: "{properties: {f: {type: string, nullable: true}}, required: [f]}",
		New:    "{properties: {f: {type: string}}, required: [f]}",
		Object: "{spec: {f: null}}"},
	{ID: "706", Change: "nullable removed in map values", Verdict: Review, Effects: Effects{"dropped", "ok", "ok", "ok", "lost", "ok", ""},
		Hits: Hits{Stored: true, Writers: true, Readers: true},
		What: "The values of a map are no longer nullable.",
		Who: "Objects with a null value in the map: the entry is dropped on read, including its key, and deleted at the next write. " +
			"Nothing is rejected.",
		Fix: "Keep nullable if a key without a value has a meaning, as in a set of names. Otherwise, set a value in such entries " +
			"first.",
		Old: "{type: object, additionalProperties: {type: string, nullable: true}}", New: "{type: object, additionalProperties: {type: string}}",
		Object: "{spec: {f: {a: null}}}"},
}
