// SPDX-License-Identifier: Apache-2.0

package rules

// nullRules are about null as a value.
var nullRules = []Rule{
	{ID: "701", Change: "nullable removed", Verdict: Review, Effects: Effects{"dropped", "ok", "ok", "ok", "lost", "ok", ""},
		Hits: Hits{Stored: true, Writers: true, Readers: true},
		Who: "A stored null of a field is dropped silently on read, and lost at the next write. Where null means something else than " +
			"unset (\"no limit\", \"switched off\"), the meaning changes without an error.",
		Fix: "Keep nullable. If null and unset shall mean the same, let the operator treat them alike first and remove the nulls from " +
			"stored objects.",
		Old: "{type: string, nullable: true}", New: "{type: string}", Object: "{spec: {f: null}}"},
	{ID: "702", Change: "nullable removed, field has default", Verdict: Breaking, Effects: defaults, Hits: Hits{Stored: true,
		Writers: true, Readers: true},
		Who: "A stored null becomes the default on read, without an error: what was switched off by null is switched on.",
		Fix: "Keep nullable; or replace each null in stored objects and manifests by a value that says what is meant.",
		Old: "{type: string, nullable: true, default: d}", New: "{type: string, default: d}", Object: "{spec: {f: null}}"},
	{ID: "703", Change: "nullable removed in list items", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Lists with a null: unlike a field, a null item is not dropped but an error. Such objects cannot be made anew, and any " +
			"edit of the list is rejected.",
		Fix: "Remove null items from stored objects and manifests first.",
		Old: "{type: array, items: {type: string, nullable: true}}", New: "{type: array, items: {type: string}}", Object: "{spec: {f: [null]}}"},
	{ID: "704", Change: "nullable added", Verdict: Review, Effects: extended, Hits: hitsReaders,
		Who: "Readers see null where they only knew a value or nothing. Until now null was dropped, or became the default; now it is " +
			"stored. A rollback drops it again.",
		Fix: "Update readers first, and say in the description what null means.",
		Old: "{type: string}", New: "{type: string, nullable: true}", Object: "{spec: {f: a}}", After: "{spec: {f: null}}"},
	{ID: "705", Change: "nullable removed, field required", Verdict: Breaking, Hits: Hits{Stored: true, Writers: true, Readers: true},
		Effects: Effects{"dropped", "rejected", "ok", "rejected", "lost", "ok", ""},
		Who: "A stored null is dropped on read, and then a required field is missing: the object cannot be made anew, and every " +
			"edit beside it is rejected.",
		Fix:   "Keep nullable; or make the field optional or give it a default together with the change.",
		Scope: InSpec, Old: "{properties: {f: {type: string, nullable: true}}, required: [f]}",
		New:    "{properties: {f: {type: string}}, required: [f]}",
		Object: "{spec: {f: null}}"},
	{ID: "706", Change: "nullable removed in map values", Verdict: Review, Effects: Effects{"dropped", "ok", "ok", "ok", "lost", "ok", ""},
		Hits: Hits{Stored: true, Writers: true, Readers: true},
		Who:  "Entries with null are dropped on read, with their keys, and lost at the next write. Nothing is rejected.",
		Fix:  "Keep nullable where the bare key says something, as in a set of names; or give such entries a value first.",
		Old:  "{type: object, additionalProperties: {type: string, nullable: true}}", New: "{type: object, additionalProperties: {type: string}}",
		Object: "{spec: {f: {a: null}}}"},
}
