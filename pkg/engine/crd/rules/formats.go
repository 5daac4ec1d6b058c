// SPDX-License-Identifier: Apache-2.0

package rules

const (
	whoPattern = "Objects with a value that does not match: they cannot be recreated, for example from a backup or in another " +
		"cluster, and writes of such a value are rejected. Updates that do not change the field are accepted (ratcheting); " +
		"Kubernetes 1.29 and earlier reject them."
	whoFormat = "Objects with a value that does not have the format: they cannot be recreated, and writes of such a value are " +
		"rejected. Updates that do not change the field are accepted (ratcheting)."
)

// formatRules cover patterns and formats of values.
var formatRules = []Rule{
	{ID: "501", Change: "pattern added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A string field has a pattern.",
		Who:  whoPattern,
		Fix:  fixValues,
		Old:  "{type: string}", New: "{type: string, pattern: \"^[a-z]+$\"}", Object: "{spec: {f: A1}}"},
	{ID: "502", Change: "pattern tightened", Verdict: Breaking, Provable: true, Effects: tightened, Hits: hitsValues,
		What: "The pattern of a string field changes, and the new pattern does not match all values that the old one matched.",
		Who: "Objects with a value that only the old pattern matches: they cannot be recreated, and writes of such a value are " +
			"rejected. The change is breaking unless the new pattern provably matches all values that the old one matched.",
		Fix: fixValues,
		Old: "{type: string, pattern: \"^[a-z0-9]+$\"}", New: "{type: string, pattern: \"^[a-z]+$\"}", Object: "{spec: {f: a1}}"},
	{ID: "503", Change: "pattern loosened", Verdict: Breaking, Provable: true, Effects: loosened, Hits: hitsOnRollback,
		What: "The pattern of a string field changes, and the new pattern matches more values.",
		Who: "Nobody during the upgrade, if the new pattern provably matches all values that the old one matched. Otherwise, the " +
			"change is breaking. After a rollback, values that only the new pattern matches are invalid.",
		Fix: "To make the proof possible, write the new pattern as the old one with an additional alternative or a wider character " +
			"class. Alternatively, check the live objects with --live.",
		Old: "{type: string, pattern: \"^[a-z]+$\"}", New: "{type: string, pattern: \"^[a-z0-9]+$\"}", Object: "{spec: {f: a}}",
		After: "{spec: {f: a1}}"},
	{ID: "504", Change: "pattern removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		What: "A string field no longer has a pattern.",
		Who:  whoRollback,
		Fix:  fixRollback,
		Old:  "{type: string, pattern: \"^[a-z]+$\"}", New: "{type: string}", Object: "{spec: {f: a}}", After: "{spec: {f: A1}}"},
	{ID: "505", Change: "recognized format added", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "A field has a format that the API server validates, such as date-time.",
		Who:  whoFormat,
		Fix:  fixValues,
		Old:  "{type: string}", New: "{type: string, format: date-time}", Object: "{spec: {f: yesterday}}"},
	{ID: "506", Change: "format removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback,
		What: "A field no longer has a format.",
		Who:  whoRollback,
		Fix:  fixRollback,
		Old:  "{type: string, format: date-time}", New: "{type: string}", Object: "{spec: {f: \"2026-01-01T00:00:00Z\"}}",
		After: "{spec: {f: yesterday}}"},
	{ID: "507", Change: "format int64 -> int32", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		What: "The format of an integer field changes from int64 to int32.",
		Who: "Objects with a number that exceeds 32 bits: they cannot be recreated, and writes of such a number are rejected. Updates " +
			"that do not change the field are accepted (ratcheting).",
		Fix: "Keep int64. A wider format has no disadvantage.",
		Old: "{type: integer, format: int64}", New: "{type: integer, format: int32}", Object: "{spec: {f: 3000000000}}"},
	{ID: "508", Change: "format loosened", Verdict: Safe, Effects: loosened, Hits: hitsReaders,
		What: "The format of a field changes to one that allows more values, such as from int32 to int64.",
		Who:  "Readers that decode the field into the narrower type fail on larger values. After a rollback, such values are invalid.",
		Fix:  "Update readers before any client writes a larger value.",
		Old:  "{type: integer, format: int32}", New: "{type: integer, format: int64}",
		Object: "{spec: {f: 1}}", After: "{spec: {f: 3000000000}}"},
	{ID: "509", Change: "unrecognized format added", Verdict: Informational, Effects: untouched,
		What: "A field has a format that the API server does not know.",
		Who:  "Nobody: the API server ignores the format, and returns a warning when the CRD is applied.",
		Old:  "{type: string}", New: "{type: string, format: my-fancy}", Object: "{spec: {f: x}}"},
	{ID: "510", Change: "format changed to another recognized format", Verdict: Breaking, Effects: Effects{"same", "rejected", "ok", "ok",
		"rejected", "ok", "rejected"},
		Hits: Hits{Stored: true, Writers: true, Rollback: true},
		What: "The format of a field changes to another one that the API server validates.",
		Who:  whoFormat,
		Fix:  "Add a field with another name for the new format, and let the operator read both fields.",
		Old:  "{type: string, format: ipv4}", New: "{type: string, format: ipv6}", Object: "{spec: {f: 10.0.0.1}}",
		After: "{spec: {f: \"fd00::1\"}}"},
	{ID: "511", Change: "pattern added, no stored object has the field", Verdict: Breaking, Effects: untouched, Hits: Hits{Writers: true},
		What: "A string field has a pattern, but no stored object sets the field.",
		Who: "Writers that send a value that does not match: their requests are rejected. Stored objects stay valid, because none of " +
			"them sets the field. If the stored objects are not checked, the finding is CRD-501.",
		Fix: "Correct the manifests and programs that write the field before you add the pattern.",
		Old: "{type: string}", New: "{type: string, pattern: \"^[a-z]+$\"}", Object: "{spec: {other: a}}"},
	{ID: "512", Change: "format k8s-short-name added", Verdict: Breaking, Effects: tightened, Hits: hitsValues, MinServerVersion: "1.34",
		What: "A string field has the format k8s-short-name or k8s-long-name, which Kubernetes validates since 1.34.",
		Who: "Objects with a value that is not such a name: they cannot be recreated, and writes of the value are rejected. " +
			"Kubernetes 1.33 and earlier ignore the format, so the change takes effect with a later upgrade of the cluster.",
		Fix: fixValues,
		Old: "{type: string}", New: "{type: string, format: k8s-short-name}", Object: "{spec: {f: Not_A_Name}}"},
}
