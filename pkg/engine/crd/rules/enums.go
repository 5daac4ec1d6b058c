// SPDX-License-Identifier: Apache-2.0

package rules

const (
	whoEnum = "Objects with a value that is no longer listed: they cannot be recreated, for example from a backup or in another " +
		"cluster, and writes of the value are rejected. Updates that do not change the field are accepted (ratcheting); Kubernetes " +
		"1.29 and earlier reject them."
	fixEnum = "Keep the value, mark it as deprecated in the description, and let the operator treat it like its successor. " +
		"Remove it when no stored object and no manifest has it."
)

// enumRules cover lists of allowed values.
var enumRules = []Rule{
	{ID: "301", Change: "enum value removed", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A value is removed from an enum.",
		Who:  whoEnum,
		Fix:  fixEnum,
		Old:  "{type: string, enum: [a, b]}", New: "{type: string, enum: [a]}", Object: "{spec: {f: b}}"},
	{ID: "302", Change: "enum value added", Verdict: Review, Effects: loosened, Hits: hitsReaders,
		What: "A value is added to an enum.",
		Who:  "Readers that handle only the values that they know, and fail on others. After a rollback, the new value is invalid.",
		Fix:  "Update readers before any client writes the new value. Before a rollback, replace the value in all objects.",
		Old:  "{type: string, enum: [a]}", New: "{type: string, enum: [a, b]}", Object: "{spec: {f: a}}", After: "{spec: {f: b}}"},
	{ID: "303", Change: "enum constraint added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A field that accepted any value has an enum.",
		Who:  whoEnum,
		Fix: "List all values that are in use: search stored objects and manifests first. Let the operator report other values in a " +
			"condition before they are rejected.",
		Old: "{type: string}", New: "{type: string, enum: [a]}", Object: "{spec: {f: b}}"},
	{ID: "304", Change: "enum constraint removed", Verdict: Review, Effects: loosened, Hits: hitsReaders,
		What: "An enum is removed, so the field accepts any value.",
		Who:  "Readers that know only the listed values find others. After a rollback, these values are invalid.",
		Fix:  "Update readers to reject or report unknown values, and list the supported values in the description.",
		Old:  "{type: string, enum: [a]}", New: "{type: string}", Object: "{spec: {f: a}}", After: "{spec: {f: b}}"},
	{ID: "306", Change: "enum swap (one removed, one added)", Verdict: Breaking, Hits: Hits{Stored: true, Writers: true,
		Readers: true, Rollback: true},
		Effects: Effects{"same", "rejected", "ok", "ok", "ok", "ok", "rejected"},
		What:    "A value of an enum is replaced by another. A different spelling of the same value is a replacement, too.",
		Who: "Objects with the removed value: they cannot be recreated, and writes of the value are rejected. Readers may not know " +
			"the new value. After a rollback, the new value is invalid.",
		Fix: "Add the new value, keep the old one, and let the operator treat them alike. Remove the old value when no object has it.",
		Old: "{type: string, enum: [a, b]}", New: "{type: string, enum: [a, c]}", Object: "{spec: {f: b}}", After: "{spec: {f: c}}"},
	{ID: "307", Change: "enum in list items narrowed", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A value is removed from the enum of list items.",
		Who: "Objects with a list that has the removed value. Items of an atomic list or of a set are not compared one by one: every " +
			"edit of such a list is rejected, even an edit that keeps the old value.",
		Fix: fixEnum,
		Old: "{type: array, items: {type: string, enum: [a, b]}}", New: "{type: array, items: {type: string, enum: [a]}}",
		Object: "{spec: {f: [b]}}"},
	{ID: "308", Change: "integer enum narrowed", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		What: "A value is removed from the enum of an integer field.",
		Who:  whoEnum,
		Fix:  fixEnum,
		Old:  "{type: integer, enum: [1, 2]}", New: "{type: integer, enum: [1]}", Object: "{spec: {f: 2}}"},
}
