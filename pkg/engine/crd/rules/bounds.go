// SPDX-License-Identifier: Apache-2.0

package rules

const (
	whoLonger = "Objects with a longer value: they cannot be made anew (restore, another cluster), and writes of such a value are " +
		"rejected. Updates that leave the field alone are ratcheted and pass on servers from 1.30 on; older ones reject them all."
	whoBeyond = "Objects with a value beyond the bound: they cannot be made anew (restore, another cluster), and writes of such a " +
		"value are rejected. Updates that leave the field alone are ratcheted and pass on servers from 1.30 on."
)

// boundRules are about lengths, sizes and ranges.
var boundRules = []Rule{
	{ID: "401", Change: "maxLength added", Verdict: Breaking, Effects: tightened, Hits: hitsValues, Who: whoLonger, Fix: fixValues,
		Old: "{type: string}", New: "{type: string, maxLength: 2}", Object: "{spec: {f: long}}"},
	{ID: "402", Change: "maxLength decreased", Verdict: Breaking, Effects: tightened, Hits: hitsValues, Who: whoLonger, Fix: fixValues,
		Old: "{type: string, maxLength: 10}", New: "{type: string, maxLength: 2}", Object: "{spec: {f: long}}"},
	{ID: "403", Change: "maxLength increased", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback, Who: whoRollback, Fix: fixRollback,
		Old: "{type: string, maxLength: 2}", New: "{type: string, maxLength: 10}", Object: "{spec: {f: ab}}", After: "{spec: {f: long}}"},
	{ID: "404", Change: "maxLength removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback, Who: whoRollback, Fix: fixRollback,
		Old: "{type: string, maxLength: 2}", New: "{type: string}", Object: "{spec: {f: ab}}", After: "{spec: {f: long}}"},
	{ID: "405", Change: "minLength added", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		Who: "Objects with a shorter value, most often the empty text that clients send for unset fields: they cannot be made anew, " +
			"and writes of such a value are rejected.",
		Fix: "Leave empty texts allowed where unset means the same, or remove the empty field from stored objects and manifests first.",
		Old: "{type: string}", New: "{type: string, minLength: 1}", Object: "{spec: {f: \"\"}}"},
	{ID: "406", Change: "minLength increased", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Objects with a shorter value: they cannot be made anew, and writes of such a value are rejected. Updates that leave the " +
			"field alone are ratcheted.",
		Fix: fixValues,
		Old: "{type: string, minLength: 1}", New: "{type: string, minLength: 3}", Object: "{spec: {f: a}}"},
	{ID: "407", Change: "minimum added or increased", Verdict: Breaking, Effects: tightened, Hits: hitsValues, Who: whoBeyond, Fix: fixValues,
		Old: "{type: integer}", New: "{type: integer, minimum: 1}", Object: "{spec: {f: 0}}"},
	{ID: "408", Change: "maximum decreased", Verdict: Breaking, Effects: tightened, Hits: hitsValues, Who: whoBeyond, Fix: fixValues,
		Old: "{type: integer, maximum: 10}", New: "{type: integer, maximum: 5}", Object: "{spec: {f: 10}}"},
	{ID: "409", Change: "exclusiveMaximum turned on", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		Who: "Objects that hold just the bound: they cannot be made anew, and writes of that value are rejected. The same holds for " +
			"exclusiveMinimum.",
		Fix: "For integers raise the maximum by one together with the switch, which changes nothing. Else move stored values off the " +
			"bound first.",
		Old: "{type: integer, maximum: 10}", New: "{type: integer, maximum: 10, exclusiveMaximum: true}", Object: "{spec: {f: 10}}"},
	{ID: "410", Change: "exclusiveMinimum turned off", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		Who: whoRollback, Fix: fixRollback,
		Old: "{type: integer, minimum: 0, exclusiveMinimum: true}", New: "{type: integer, minimum: 0}", Object: "{spec: {f: 1}}",
		After: "{spec: {f: 0}}"},
	{ID: "411", Change: "multipleOf added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Objects with a number that is no multiple: they cannot be made anew, and writes of such a number are rejected. Updates " +
			"that leave the field alone are ratcheted.",
		Fix: "Let the operator round instead, or correct every stored object and manifest first.",
		Old: "{type: integer}", New: "{type: integer, multipleOf: 5}", Object: "{spec: {f: 3}}"},
	{ID: "412", Change: "multipleOf loosened 10->5", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		Who: whoRollback, Fix: fixRollback,
		Old: "{type: integer, multipleOf: 10}", New: "{type: integer, multipleOf: 5}", Object: "{spec: {f: 10}}", After: "{spec: {f: 5}}"},
	{ID: "413", Change: "maxItems added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Objects with a longer list: they cannot be made anew, and every edit of that list is rejected, unless it shortens it enough.",
		Fix: "Set the limit above the longest list in use. Limits that CEL rules need for their cost may be high.",
		Old: "{type: array, items: {type: string}}", New: "{type: array, items: {type: string}, maxItems: 1}", Object: "{spec: {f: [a, b]}}"},
	{ID: "414", Change: "minItems increased", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		Who: "Objects with a shorter list, most often the empty one: they cannot be made anew, and writes of such a list are rejected.",
		Fix: "Leave the empty list allowed where it means the same as none, or remove it from stored objects and manifests first.",
		Old: "{type: array, items: {type: string}}", New: "{type: array, items: {type: string}, minItems: 1}", Object: "{spec: {f: []}}"},
	{ID: "415", Change: "maxItems decreased", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Objects with a longer list: they cannot be made anew, and every edit of that list is rejected, unless it shortens it enough.",
		Fix: "Keep the limit above the longest list in use, or shorten the stored ones first.",
		Old: "{type: array, items: {type: string}, maxItems: 5}", New: "{type: array, items: {type: string}, maxItems: 1}",
		Object: "{spec: {f: [a, b]}}"},
	{ID: "416", Change: "minProperties added", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		Who: "Objects with a smaller map, most often {}: they cannot be made anew, and writes of such a map are rejected. Any edit in " +
			"the map validates it anew.",
		Fix:    "Leave the empty map allowed where it means the same as none, or remove it from stored objects and manifests first.",
		Old:    "{type: object, additionalProperties: {type: string}}",
		New:    "{type: object, additionalProperties: {type: string}, minProperties: 1}",
		Object: "{spec: {f: {}}}"},
	{ID: "417", Change: "uniqueItems true", Verdict: Refused, Effects: Effects{"same", "rejected", "ok", "ok", "", "ok", ""},
		Who: "Whoever applies the definition: the API server refuses it, because uniqueItems is forbidden in definitions.",
		Fix: "Use x-kubernetes-list-type: set, and look for stored duplicates first; see CRD-901.",
		Old: "{type: array, items: {type: string}}", New: "{type: array, items: {type: string}, uniqueItems: true}"},
	{ID: "418", Change: "map key CEL length rule added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Maps with a key that fails: they cannot be made anew, and any edit in the map is rejected. Only CEL can bound the " +
			"keys of a map, so no comparison of bounds shows this.",
		Fix: fixValues,
		Old: "{type: object, additionalProperties: {type: string}, maxProperties: 10}",
		New: "{type: object, additionalProperties: {type: string}, maxProperties: 10, x-kubernetes-validations: [{rule: " +
			"\"self.all(k, size(k) < 3)\"}]}",
		Object: "{spec: {f: {long: a}}}"},
	{ID: "419", Change: "minimum removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback, Who: whoRollback, Fix: fixRollback,
		Old: "{type: integer, minimum: 5}", New: "{type: integer}", Object: "{spec: {f: 5}}", After: "{spec: {f: 1}}"},
	{ID: "420", Change: "maximum increased", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback, Who: whoRollback, Fix: fixRollback,
		Old: "{type: integer, maximum: 5}", New: "{type: integer, maximum: 50}", Object: "{spec: {f: 5}}", After: "{spec: {f: 9}}"},
	{ID: "425", Change: "lower bound of a length or count loosened or removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		Who: whoRollback, Fix: fixRollback,
		Old: "{type: string, minLength: 2}", New: "{type: string}", Object: "{spec: {f: ab}}", After: "{spec: {f: a}}"},
}
