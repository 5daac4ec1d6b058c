// SPDX-License-Identifier: Apache-2.0

package rules

const whoJunctor = "Objects that the combination no longer allows: they cannot be made anew, and any edit below the node that " +
	"it stands on is rejected. Writes elsewhere are ratcheted."

// junctorRules are about allOf, anyOf, oneOf and not.
var junctorRules = []Rule{
	{ID: "B01", Change: "oneOf added", Verdict: Breaking, Effects: tightenedAround, Hits: hitsValues,
		Who: "Objects that match no branch, or several: they cannot be made anew, and any edit below the node is rejected. A single " +
			"branch that the rest of the schema implies hurts nobody.",
		Fix:   "Let the operator report objects with none or several of the choices in a condition first, and correct them all.",
		Scope: InSpec, Old: "{properties: {f: {type: string}, g: {type: string}}}",
		New:    "{properties: {f: {type: string}, g: {type: string}}, oneOf: [{required: [f]}, {required: [g]}]}",
		Object: "{spec: {f: a, g: b}}"},
	{ID: "B02", Change: "oneOf branch removed", Verdict: Breaking, Effects: tightenedAround, Hits: hitsValues,
		Who: "Objects that matched the removed branch: they cannot be made anew, and any edit below the node is rejected. Objects " +
			"that matched two branches may become valid.",
		Fix:   "Keep the branch and let the operator treat it as deprecated, until no stored object and no manifest needs it.",
		Scope: InSpec, Old: "{properties: {f: {type: string}, g: {type: string}}, oneOf: [{required: [f]}, {required: [g]}]}",
		New:    "{properties: {f: {type: string}, g: {type: string}}, oneOf: [{required: [f]}]}",
		Object: "{spec: {g: b}}"},
	{ID: "B03", Change: "oneOf branch added", Verdict: Breaking, Hits: Hits{Stored: true, Writers: true, Rollback: true},
		Effects: Effects{"same", "rejected", "ok", "rejected", "rejected", "ok", "rejected"},
		Who: "Objects that match an old branch and the new one: exactly one may match, so they cannot be made anew, and any edit " +
			"below the node is rejected. After a rollback, objects of the new branch are invalid.",
		Fix:   "Write the branches so that none can match together with another (forbid the other's fields by not), or use anyOf.",
		Scope: InSpec, Old: "{properties: {f: {type: string}, g: {type: string}}, oneOf: [{required: [f]}]}",
		New:    "{properties: {f: {type: string}, g: {type: string}}, oneOf: [{required: [f]}, {required: [g]}]}",
		Object: "{spec: {f: a, g: b}}", After: "{spec: {g: b}}"},
	{ID: "B04", Change: "anyOf added, or one of its branches removed", Verdict: Breaking, Effects: tightenedAround,
		Hits: hitsValues, Who: whoJunctor,
		Fix:   "Keep a branch for every form that stored objects and manifests have, until they are corrected.",
		Scope: InSpec, Old: "{properties: {f: {type: string}, g: {type: string}}}",
		New:    "{properties: {f: {type: string}, g: {type: string}}, anyOf: [{required: [f]}, {required: [g]}]}",
		Object: "{spec: {other: a}}"},
	{ID: "B05", Change: "anyOf branch added (loosen)", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		Who: whoRollback, Fix: fixRollback,
		Scope: InSpec, Old: "{properties: {f: {type: string}, g: {type: string}}, anyOf: [{required: [f]}]}",
		New:    "{properties: {f: {type: string}, g: {type: string}}, anyOf: [{required: [f]}, {required: [g]}]}",
		Object: "{spec: {f: a}}", After: "{spec: {g: b}}"},
	{ID: "B06", Change: "allOf pattern added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Objects with a value that fails: what stands in allOf counts like a rule of the node itself. They cannot be made anew, " +
			"and writes of such a value are rejected.",
		Fix: fixValues,
		Old: "{type: string}", New: "{type: string, allOf: [{pattern: ^a}]}", Object: "{spec: {f: b}}"},
	{ID: "B07", Change: "not added", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		Who: "Objects that match what is forbidden now: they cannot be made anew, and writes of such a value are rejected. Updates " +
			"that leave the node alone are ratcheted.",
		Fix: fixValues,
		Old: "{type: string}", New: "{type: string, not: {enum: [b]}}", Object: "{spec: {f: b}}"},
	{ID: "B08", Change: "not removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback, Who: whoRollback, Fix: fixRollback,
		Old: "{type: string, not: {enum: [b]}}", New: "{type: string}", Object: "{spec: {f: a}}", After: "{spec: {f: b}}"},
	{ID: "B09", Change: "not body loosened (= tightened)", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		Who: "Objects that match what was added to the body: whatever widens the body of not narrows what is allowed. They cannot be " +
			"made anew, and writes of such a value are rejected.",
		Fix: fixValues,
		Old: "{type: string, not: {enum: [b]}}", New: "{type: string, not: {enum: [b, c]}}", Object: "{spec: {f: c}}"},
	{ID: "B10", Change: "enum inside allOf narrowed (enum only in junctor)", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		Who: whoEnum, Fix: fixEnum,
		Old: "{type: string, allOf: [{enum: [a, b]}]}", New: "{type: string, allOf: [{enum: [a]}]}", Object: "{spec: {f: b}}"},
	{ID: "B11", Change: "enum inside not loses a value (loosens)", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		Who: whoRollback, Fix: fixRollback,
		Old: "{type: string, not: {enum: [b, c]}}", New: "{type: string, not: {enum: [b]}}", Object: "{spec: {f: a}}", After: "{spec: {f: c}}"},
	{ID: "B12", Change: "minimum moved from allOf to direct (equivalent)", Verdict: Informational, Effects: untouched,
		Who: "Nobody: what stands in allOf counts like a rule of the node itself.",
		Old: "{type: integer, allOf: [{minimum: 1}]}", New: "{type: integer, minimum: 1}", Object: "{spec: {f: 1}}"},
	{ID: "B13", Change: "oneOf removed entirely (loosen)", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		Who: whoRollback, Fix: fixRollback,
		Scope: InSpec, Old: "{properties: {f: {type: string}, g: {type: string}}, oneOf: [{required: [f]}, {required: [g]}]}",
		New:    "{properties: {f: {type: string}, g: {type: string}}}",
		Object: "{spec: {f: a}}", After: "{spec: {f: a, g: b}}"},
	{ID: "B14", Change: "values narrowed next to anyOf of int-or-string", Verdict: Breaking, Provable: true,
		Effects: tightened, Hits: hitsValues,
		Who: "Objects with a text that is no longer allowed: they cannot be made anew, and writes of it are rejected. Numbers are not " +
			"checked by patterns. It is breaking unless the new pattern is proved to match all that the old one matched.",
		Fix: fixValues,
		Old: "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: \"^[0-9]+%$\"}",
		New: "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: \"^[0-9]$\"}", Object: "{spec: {f: 50%}}"},
}
