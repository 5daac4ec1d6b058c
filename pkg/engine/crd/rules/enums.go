// SPDX-License-Identifier: Apache-2.0

package rules

const (
	whoEnum = "Objects that hold a value that is no longer listed: they cannot be made anew (restore, another cluster), and writes " +
		"of that value are rejected. Updates that leave the field alone are ratcheted and pass on servers from 1.30 on; older ones " +
		"reject them all."
	fixEnum = "Keep the value, mark it deprecated in the description and let the operator treat it as its successor. Remove it " +
		"once no stored object and no manifest has it."
)

// enumRules are about lists of allowed values.
var enumRules = []Rule{
	{ID: "301", Change: "enum value removed", Verdict: Breaking, Effects: tightened, Hits: hitsValues, Who: whoEnum, Fix: fixEnum,
		Old: "{type: string, enum: [a, b]}", New: "{type: string, enum: [a]}", Object: "{spec: {f: b}}"},
	{ID: "302", Change: "enum value added", Verdict: Review, Effects: loosened, Hits: hitsReaders,
		Who: "Readers that handle every value they know and fail on others. After a rollback the new value is invalid.",
		Fix: "Update readers before anybody writes the new value. Before a rollback, set another one in every object.",
		Old: "{type: string, enum: [a]}", New: "{type: string, enum: [a, b]}", Object: "{spec: {f: a}}", After: "{spec: {f: b}}"},
	{ID: "303", Change: "enum constraint added", Verdict: Breaking, Effects: tightened, Hits: hitsValues, Who: whoEnum,
		Fix: "List every value that is in use: look through stored objects and manifests first. Let the operator report others in a " +
			"condition before they are refused.",
		Old: "{type: string}", New: "{type: string, enum: [a]}", Object: "{spec: {f: b}}"},
	{ID: "304", Change: "enum constraint removed", Verdict: Review, Effects: loosened, Hits: hitsReaders,
		Who: "Readers that know the listed values only meet others now. After a rollback these are invalid.",
		Fix: "Make readers refuse or report unknown values, and say in the description which ones work.",
		Old: "{type: string, enum: [a]}", New: "{type: string}", Object: "{spec: {f: a}}", After: "{spec: {f: b}}"},
	{ID: "306", Change: "enum swap (one removed, one added)", Verdict: Breaking, Hits: Hits{Stored: true, Writers: true,
		Readers: true, Rollback: true},
		Effects: Effects{"same", "rejected", "ok", "ok", "ok", "ok", "rejected"},
		Who: "Objects with the removed value cannot be made anew, and writes of it are rejected; readers may not know the new " +
			"one, which a rollback makes invalid. A value that is only spelled anew is a removal, too.",
		Fix: "Add the new value beside the old one and let the operator treat both alike. Remove the old one once nothing has it.",
		Old: "{type: string, enum: [a, b]}", New: "{type: string, enum: [a, c]}", Object: "{spec: {f: b}}", After: "{spec: {f: c}}"},
	{ID: "307", Change: "enum in list items narrowed", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Lists with a removed value. Items of an atomic list or a set are not compared one by one: every edit of such a list is " +
			"rejected, even one that leaves the old value in place.",
		Fix: fixEnum,
		Old: "{type: array, items: {type: string, enum: [a, b]}}", New: "{type: array, items: {type: string, enum: [a]}}",
		Object: "{spec: {f: [b]}}"},
	{ID: "308", Change: "integer enum narrowed", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues, Who: whoEnum, Fix: fixEnum,
		Old: "{type: integer, enum: [1, 2]}", New: "{type: integer, enum: [1]}", Object: "{spec: {f: 2}}"},
}
