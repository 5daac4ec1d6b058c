// SPDX-License-Identifier: Apache-2.0

package rules

const (
	whoPattern = "Objects with a value that does not match: they cannot be made anew (restore, another cluster), and writes of " +
		"such a value are rejected. Updates that leave the field alone are ratcheted and pass on servers from 1.30 on; older ones " +
		"reject them all."
	whoFormat = "Objects with a value that is not of the format: they cannot be made anew, and writes of such a value are " +
		"rejected. Updates that leave the field alone are ratcheted."
)

// formatRules are about patterns and formats of values.
var formatRules = []Rule{
	{ID: "501", Change: "pattern added", Verdict: Breaking, Effects: tightened, Hits: hitsValues, Who: whoPattern, Fix: fixValues,
		Old: "{type: string}", New: "{type: string, pattern: \"^[a-z]+$\"}", Object: "{spec: {f: A1}}"},
	{ID: "502", Change: "pattern tightened", Verdict: Breaking, Provable: true, Effects: tightened, Hits: hitsValues,
		Who: "Objects with a value that only the old pattern matches: they cannot be made anew, and writes of such a value are " +
			"rejected. It is breaking unless the new pattern is proved to match all that the old one matched.",
		Fix: fixValues,
		Old: "{type: string, pattern: \"^[a-z0-9]+$\"}", New: "{type: string, pattern: \"^[a-z]+$\"}", Object: "{spec: {f: a1}}"},
	{ID: "503", Change: "pattern loosened", Verdict: Breaking, Provable: true, Effects: loosened, Hits: hitsOnRollback,
		Who: "Nobody going forward where the new pattern is proved to match all that the old one matched; else it counts as breaking. " +
			"After a rollback, values that only the new one matches are invalid.",
		Fix: "Write the new pattern as the old one with an added alternative or a wider class, so that the proof is easy; or replay " +
			"the live objects.",
		Old: "{type: string, pattern: \"^[a-z]+$\"}", New: "{type: string, pattern: \"^[a-z0-9]+$\"}", Object: "{spec: {f: a}}",
		After: "{spec: {f: a1}}"},
	{ID: "504", Change: "pattern removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback, Who: whoRollback, Fix: fixRollback,
		Old: "{type: string, pattern: \"^[a-z]+$\"}", New: "{type: string}", Object: "{spec: {f: a}}", After: "{spec: {f: A1}}"},
	{ID: "505", Change: "format added (recognised: date-time)", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: whoFormat, Fix: fixValues,
		Old: "{type: string}", New: "{type: string, format: date-time}", Object: "{spec: {f: yesterday}}"},
	{ID: "506", Change: "format removed", Verdict: Safe, Effects: loosened, Hits: hitsOnRollback, Who: whoRollback, Fix: fixRollback,
		Old: "{type: string, format: date-time}", New: "{type: string}", Object: "{spec: {f: \"2026-01-01T00:00:00Z\"}}",
		After: "{spec: {f: yesterday}}"},
	{ID: "507", Change: "format int64 -> int32", Verdict: Breaking, Effects: tightened, Hits: hitsValues,
		Who: "Objects with a number beyond 32 bits: they cannot be made anew, and writes of such a number are rejected. Updates that " +
			"leave the field alone are ratcheted.",
		Fix: "Keep int64: a wider format costs nothing.",
		Old: "{type: integer, format: int64}", New: "{type: integer, format: int32}", Object: "{spec: {f: 3000000000}}"},
	{ID: "508", Change: "format loosened", Verdict: Safe, Effects: loosened, Hits: hitsReaders,
		Who: "Readers that decode into the narrower type fail on larger values. After a rollback such values are invalid.",
		Fix: "Update readers before anybody writes a larger value.",
		Old: "{type: integer, format: int32}", New: "{type: integer, format: int64}", Object: "{spec: {f: 1}}", After: "{spec: {f: 3000000000}}"},
	{ID: "509", Change: "format unrecognised added", Verdict: Informational, Effects: untouched,
		Who: "Nobody: the API server ignores a format that it does not know, and warns about it when the definition is applied.",
		Old: "{type: string}", New: "{type: string, format: my-fancy}", Object: "{spec: {f: x}}"},
	{ID: "510", Change: "format changed to another recognised one", Verdict: Breaking, Effects: Effects{"same", "rejected", "ok", "ok",
		"rejected", "ok", "rejected"},
		Hits: Hits{Stored: true, Writers: true, Rollback: true}, Who: whoFormat,
		Fix: "Add a field under another name for the new format and let the operator read both.",
		Old: "{type: string, format: ipv4}", New: "{type: string, format: ipv6}", Object: "{spec: {f: 10.0.0.1}}",
		After: "{spec: {f: \"fd00::1\"}}"},
	{ID: "511", Change: "pattern added, no stored object has the field", Verdict: Breaking, Effects: untouched, Hits: Hits{Writers: true},
		Who: "Writers only: whoever sends a value that does not match is rejected. Stored objects are valid, because none sets the " +
			"field. Without a look at them this is CRD-501.",
		Fix: "Correct the manifests and programs that write the field before the pattern is enforced.",
		Old: "{type: string}", New: "{type: string, pattern: \"^[a-z]+$\"}", Object: "{spec: {other: a}}"},
	{ID: "512", Change: "format k8s-short-name added", Verdict: Breaking, Effects: tightened, Hits: hitsValues, MinServerVersion: "1.34",
		Who: "Objects with a value that is no such name: they cannot be made anew, and writes of it are rejected. Only servers from " +
			"1.34 on check k8s-short-name and k8s-long-name; older ones ignore them, so an upgrade of the cluster breaks later.",
		Fix: fixValues,
		Old: "{type: string}", New: "{type: string, format: k8s-short-name}", Object: "{spec: {f: Not_A_Name}}"},
}
