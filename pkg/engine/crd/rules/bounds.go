// SPDX-License-Identifier: Apache-2.0

package rules

const (
	whoLonger = "Objects with a longer value: they cannot be recreated, for example from a backup or in another cluster, and " +
		"writes of such a value are rejected. Updates that do not change the field are accepted (ratcheting); Kubernetes 1.29 and " +
		"earlier reject them."
	whoBeyond = "Objects with a value outside the limit: they cannot be recreated, for example from a backup or in another " +
		"cluster, and writes of such a value are rejected. Updates that do not change the field are accepted (ratcheting); " +
		"Kubernetes 1.29 and earlier reject them."
)

// boundRules cover lengths, sizes and ranges.
var boundRules = []Rule{
	{ID: "401", Change: "maxLength added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A string field has a maximum length.",
		Who:  whoLonger,
		Fix:  fixValues,
		Old:  "{type: string}", New: "{type: string, maxLength: 2}", Object: "{spec: {f: long}}"},
	{ID: "402", Change: "maxLength decreased", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "The maximum length of a string field is lower.",
		Who:  whoLonger,
		Fix:  fixValues,
		Old:  "{type: string, maxLength: 10}", New: "{type: string, maxLength: 2}", Object: "{spec: {f: long}}"},
	{ID: "403", Change: "maxLength increased", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		What: "The maximum length of a string field is higher.",
		Who:  whoRollback,
		Fix:  fixRollback,
		Old:  "{type: string, maxLength: 2}", New: "{type: string, maxLength: 10}", Object: "{spec: {f: ab}}", After: "{spec: {f: long}}"},
	{ID: "404", Change: "maxLength removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		What: "A string field no longer has a maximum length.",
		Who:  whoRollback,
		Fix:  fixRollback,
		Old:  "{type: string, maxLength: 2}", New: "{type: string}", Object: "{spec: {f: ab}}", After: "{spec: {f: long}}"},
	{ID: "405", Change: "minLength added", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		What: "A string field has a minimum length.",
		Who: "Objects with a shorter value, most often the empty string that clients send for unset fields: they cannot be recreated, " +
			"and writes of such a value are rejected.",
		Fix: "Allow empty strings if they have the same meaning as an unset field. Otherwise, remove the empty field from stored " +
			"objects and manifests first.",
		Old: "{type: string}", New: "{type: string, minLength: 1}", Object: "{spec: {f: \"\"}}"},
	{ID: "406", Change: "minLength increased", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "The minimum length of a string field is higher.",
		Who: "Objects with a shorter value: they cannot be recreated, and writes of such a value are rejected. Updates that do not " +
			"change the field are accepted (ratcheting).",
		Fix: fixValues,
		Old: "{type: string, minLength: 1}", New: "{type: string, minLength: 3}", Object: "{spec: {f: a}}"},
	{ID: "407", Change: "minimum added or increased", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A number has a minimum, or a higher one.",
		Who:  whoBeyond,
		Fix:  fixValues,
		Old:  "{type: integer}", New: "{type: integer, minimum: 1}", Object: "{spec: {f: 0}}"},
	{ID: "408", Change: "maximum decreased", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "The maximum of a number is lower.",
		Who:  whoBeyond,
		Fix:  fixValues,
		Old:  "{type: integer, maximum: 10}", New: "{type: integer, maximum: 5}", Object: "{spec: {f: 10}}"},
	{ID: "409", Change: "exclusiveMaximum turned on", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		What: "The maximum itself is no longer allowed. The rule applies to `exclusiveMinimum`, too.",
		Who:  "Objects whose value equals the limit: they cannot be recreated, and writes of that value are rejected.",
		Fix: "For integers, increase the maximum by one in the same change, so that the allowed values stay the same. For other " +
			"numbers, change stored values that equal the limit first.",
		Old: "{type: integer, maximum: 10}", New: "{type: integer, maximum: 10, exclusiveMaximum: true}", Object: "{spec: {f: 10}}"},
	{ID: "410", Change: "exclusiveMinimum turned off", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		What: "The minimum itself is allowed.",
		Who:  whoRollback,
		Fix:  fixRollback,
		Old:  "{type: integer, minimum: 0, exclusiveMinimum: true}", New: "{type: integer, minimum: 0}", Object: "{spec: {f: 1}}",
		After: "{spec: {f: 0}}"},
	{ID: "411", Change: "multipleOf added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A number must be a multiple of another number.",
		Who: "Objects with a number that is not a multiple: they cannot be recreated, and writes of such a number are rejected. " +
			"Updates that do not change the field are accepted (ratcheting).",
		Fix: "Let the operator round the number instead, or correct all stored objects and manifests first.",
		Old: "{type: integer}", New: "{type: integer, multipleOf: 5}", Object: "{spec: {f: 3}}"},
	{ID: "412", Change: "multipleOf loosened", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		What: "The new `multipleOf` is a divisor of the old one.",
		Who:  whoRollback,
		Fix:  fixRollback,
		Old:  "{type: integer, multipleOf: 10}", New: "{type: integer, multipleOf: 5}", Object: "{spec: {f: 10}}", After: "{spec: {f: 5}}"},
	{ID: "413", Change: "maxItems added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A list has a maximum length.",
		Who: "Objects with a longer list: they cannot be recreated, and every edit of the list is rejected, unless it shortens the " +
			"list to the limit.",
		Fix: "Set the limit higher than the longest list in use. A limit that only bounds the cost of a CEL rule can be high.",
		Old: "{type: array, items: {type: string}}", New: "{type: array, items: {type: string}, maxItems: 1}", Object: "{spec: {f: [a, b]}}"},
	{ID: "414", Change: "minItems increased", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		What: "The minimum length of a list is higher.",
		Who:  "Objects with a shorter list, most often an empty one: they cannot be recreated, and writes of such a list are rejected.",
		Fix: "Allow the empty list if it has the same meaning as no list. Otherwise, remove it from stored objects and manifests " +
			"first.",
		Old: "{type: array, items: {type: string}}", New: "{type: array, items: {type: string}, minItems: 1}", Object: "{spec: {f: []}}"},
	{ID: "415", Change: "maxItems decreased", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "The maximum length of a list is lower.",
		Who: "Objects with a longer list: they cannot be recreated, and every edit of the list is rejected, unless it shortens the " +
			"list to the limit.",
		Fix: "Keep the limit higher than the longest list in use, or shorten the stored lists first.",
		Old: "{type: array, items: {type: string}, maxItems: 5}", New: "{type: array, items: {type: string}, maxItems: 1}",
		Object: "{spec: {f: [a, b]}}"},
	{ID: "416", Change: "minProperties added", Verdict: Breaking, Effects: tightenedAt, Hits: hitsValues,
		What: "A map has a minimum number of entries.",
		Who: "Objects with a smaller map, most often {}: they cannot be recreated, and writes of such a map are rejected. An edit of " +
			"an entry validates the entire map.",
		Fix:    "Allow the empty map if it has the same meaning as no map. Otherwise, remove it from stored objects and manifests first.",
		Old:    "{type: object, additionalProperties: {type: string}}",
		New:    "{type: object, additionalProperties: {type: string}, minProperties: 1}",
		Object: "{spec: {f: {}}}"},
	{ID: "417", Change: "uniqueItems set to true", Verdict: Refused, Effects: Effects{"same", "rejected", "ok", "ok", "", "ok", ""},
		What: "A list has `uniqueItems: true`, which CRDs do not support.",
		Who:  "Clients that apply the CRD: the API server rejects it.",
		Fix:  "Use x-kubernetes-list-type: set. Search the stored objects for duplicates first; see CRD-901.",
		Old:  "{type: array, items: {type: string}}", New: "{type: array, items: {type: string}, uniqueItems: true}"},
	{ID: "418", Change: "CEL rule on the length of map keys added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A CEL rule limits the length of the keys of a map. Only a CEL rule can validate keys, so a comparison of limits does " +
			"not show this change.",
		Who: "Objects with a map that has a key that fails the rule: they cannot be recreated, and edits of the map are rejected.",
		Fix: fixValues,
		Old: "{type: object, additionalProperties: {type: string}, maxProperties: 10}",
		New: "{type: object, additionalProperties: {type: string}, maxProperties: 10, x-kubernetes-validations: [{rule: " +
			"\"self.all(k, size(k) < 3)\"}]}",
		Object: "{spec: {f: {long: a}}}"},
	{ID: "419", Change: "minimum removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		What: "A number no longer has a minimum.",
		Who:  whoRollback,
		Fix:  fixRollback,
		Old:  "{type: integer, minimum: 5}", New: "{type: integer}", Object: "{spec: {f: 5}}", After: "{spec: {f: 1}}"},
	{ID: "420", Change: "maximum increased", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		What: "The maximum of a number is higher.",
		Who:  whoRollback,
		Fix:  fixRollback,
		Old:  "{type: integer, maximum: 5}", New: "{type: integer, maximum: 50}", Object: "{spec: {f: 5}}", After: "{spec: {f: 9}}"},
	{ID: "425", Change: "lower bound of a length or count loosened or removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		What: "The minimum length of a string or list, or the minimum number of entries of a map, is lower or removed.",
		Who:  whoRollback,
		Fix:  fixRollback,
		Old:  "{type: string, minLength: 2}", New: "{type: string}", Object: "{spec: {f: ab}}", After: "{spec: {f: a}}"},
}
