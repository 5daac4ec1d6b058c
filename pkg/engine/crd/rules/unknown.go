// SPDX-License-Identifier: Apache-2.0

package rules

// unknownRules are about undeclared fields and about whole resources inside of a field.
var unknownRules = []Rule{
	{ID: "801", Change: "x-preserve-unknown-fields removed", Verdict: Destructive, Effects: removed, Hits: hitsAll,
		Who: "All undeclared data below vanishes on read and is lost at the next write; server-side apply of a manifest with it fails.",
		Fix: "Declare the known fields, but keep x-kubernetes-preserve-unknown-fields; or collect every key that stored objects have " +
			"and declare them all.",
		Old: "{type: object, x-kubernetes-preserve-unknown-fields: true}", New: "{type: object, properties: {a: {type: string}}}",
		Object: "{spec: {f: {a: x, b: z}}}"},
	{ID: "802", Change: "x-preserve-unknown-fields added", Verdict: Safe, Effects: extended, Hits: hitsOnRollback,
		Who: "Nobody going forward; misspelt fields are kept instead of pruned from now on. A rollback prunes everything that is " +
			"not declared.",
		Fix:    "Before a rollback, save what stands under undeclared keys.",
		Old:    "{type: object, properties: {a: {type: string}}}",
		New:    "{type: object, properties: {a: {type: string}}, x-kubernetes-preserve-unknown-fields: true}",
		Object: "{spec: {f: {a: x}}}", After: "{spec: {f: {a: x, b: z}}}"},
	{ID: "803", Change: "spec.preserveUnknownFields true -> false (legacy)", Verdict: Destructive, Hits: hitsAll,
		Who: "Definitions that date from v1beta1: until now nothing was pruned. From now on every undeclared field of every object " +
			"vanishes on read and is lost at the next write.",
		Fix: "Look through the stored objects for undeclared fields, and declare them or set x-kubernetes-preserve-unknown-fields " +
			"where they stand, before the switch.",
		Scope: InDefinition, Old: "{spec: {preserveUnknownFields: true}}", New: "{spec: {preserveUnknownFields: false}}"},
	{ID: "805", Change: "x-embedded-resource added", Verdict: Destructive, Effects: bricked, Hits: hitsValues,
		Who: "Objects whose field holds no full resource (apiVersion, kind, valid metadata). This check is never ratcheted: every " +
			"update is rejected, even the removal of a finalizer, so that the object cannot be deleted.",
		Fix: "Complete the field in every stored object before, or leave the mark out and let the operator check it.",
		Old: "{type: object, x-kubernetes-preserve-unknown-fields: true}",
		New: "{type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}", Object: "{spec: {f: {a: x}}}"},
	{ID: "806", Change: "x-embedded-resource removed", Verdict: Safe, Effects: Effects{"same", "ok", "ok", "ok", "ok", "ok",
		"bricked"}, Hits: hitsOnRollback,
		Who: "Nobody going forward. After a rollback, objects whose field holds no full resource reject every update, even the " +
			"removal of a finalizer.",
		Fix:    "Before a rollback, complete the field (apiVersion, kind) in every object, while edits still work.",
		Old:    "{type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}",
		New:    "{type: object, x-kubernetes-preserve-unknown-fields: true}",
		Object: "{spec: {f: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}}", After: "{spec: {f: {a: x}}}"},
	{ID: "807", Change: "schema of embedded metadata removed", Verdict: Destructive, Hits: Hits{Stored: true, Writers: true,
		SSAWriters: true, Readers: true},
		Effects: Effects{"pruned", "ok", "ok", "ok", "lost", "ok", ""},
		Who: "Labels, annotations and names in a template inside of the object: a metadata field that is only of type object " +
			"keeps nothing, unless the field around it is an embedded resource. They vanish on read and are lost at the next write.",
		Fix: "Keep the properties of metadata: generate the definition with controller-gen's crd:generateEmbeddedObjectMeta=true.",
		Old: "{type: object, properties: {metadata: {type: object, properties: {labels: {type: object, additionalProperties: {type: string}}}}}}",
		New: "{type: object, properties: {metadata: {type: object}}}", Object: "{spec: {f: {metadata: {labels: {a: x}}}}}"},
}
