// SPDX-License-Identifier: Apache-2.0

package rules

// unknownRules cover undeclared fields and embedded resources.
var unknownRules = []Rule{
	{ID: "801", Change: "x-kubernetes-preserve-unknown-fields removed", Verdict: Destructive, Effects: removed, Hits: hitsAll,
		What: "An object no longer preserves unknown fields.",
		Who: "Stored objects: undeclared fields below this object are pruned on read and deleted at the next write. Server-side apply " +
			"of a manifest with such a field fails.",
		Fix: "Declare the known fields, and keep x-kubernetes-preserve-unknown-fields. Alternatively, collect all keys that stored " +
			"objects have, and declare them.",
		Old: "{type: object, x-kubernetes-preserve-unknown-fields: true}", New: "{type: object, properties: {a: {type: string}}}",
		Object: "{spec: {f: {a: x, b: z}}}"},
	{ID: "802", Change: "x-kubernetes-preserve-unknown-fields added", Verdict: Safe, Effects: extended, Hits: hitsOnRollback,
		What: "An object preserves unknown fields.",
		Who: "Nobody during the upgrade. Misspelled fields are stored instead of pruned. A rollback prunes all fields that are not " +
			"declared.",
		Fix:    "Before a rollback, save the values of undeclared fields.",
		Old:    "{type: object, properties: {a: {type: string}}}",
		New:    "{type: object, properties: {a: {type: string}}, x-kubernetes-preserve-unknown-fields: true}",
		Object: "{spec: {f: {a: x}}}", After: "{spec: {f: {a: x, b: z}}}"},
	{ID: "803", Change: "spec.preserveUnknownFields changed from true to false", Verdict: Destructive, Hits: hitsAll,
		What: "A CRD that was created with apiextensions.k8s.io/v1beta1 no longer preserves unknown fields of its objects.",
		Who:  "All stored objects: undeclared fields were preserved until now. They are pruned on read and deleted at the next write.",
		Fix: "Search the stored objects for undeclared fields. Before the change, declare them or set " +
			"x-kubernetes-preserve-unknown-fields on their parents.",
		Scope: InDefinition, Old: "{spec: {preserveUnknownFields: true}}", New: "{spec: {preserveUnknownFields: false}}"},
	{ID: "805", Change: "x-kubernetes-embedded-resource added", Verdict: Destructive, Effects: bricked, Hits: hitsValues,
		What: "A field must contain a complete resource with apiVersion, kind and valid metadata.",
		Who: "Objects in which the field is not a complete resource. Ratcheting does not apply to this validation: every update is " +
			"rejected, including the removal of a finalizer, so the objects cannot be deleted.",
		Fix: "Complete the field in all stored objects first. Alternatively, omit x-kubernetes-embedded-resource and let the operator " +
			"validate the field.",
		Old: "{type: object, x-kubernetes-preserve-unknown-fields: true}",
		New: "{type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}", Object: "{spec: {f: {a: x}}}"},
	{ID: "806", Change: "x-kubernetes-embedded-resource removed", Verdict: Safe, Effects: Effects{"same", "ok", "ok", "ok", "ok", "ok",
		"bricked"}, Hits: hitsOnRollback,
		What: "A field no longer needs to contain a complete resource.",
		Who: "Nobody during the upgrade. After a rollback, objects in which the field is not a complete resource reject every update, " +
			"including the removal of a finalizer.",
		Fix:    "Before a rollback, set apiVersion and kind of the field in all objects, while edits are still accepted.",
		Old:    "{type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}",
		New:    "{type: object, x-kubernetes-preserve-unknown-fields: true}",
		Object: "{spec: {f: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}}", After: "{spec: {f: {a: x}}}"},
	{ID: "807", Change: "schema of embedded metadata removed", Verdict: Destructive, Hits: Hits{Stored: true, Writers: true,
		SSAWriters: true, Readers: true},
		Effects: Effects{"pruned", "ok", "ok", "ok", "lost", "ok", ""},
		What: "The schema of the metadata in an embedded object no longer has properties. Metadata without properties preserves " +
			"nothing, unless its parent has `x-kubernetes-embedded-resource`.",
		Who: "Stored objects with labels, annotations or names in a template: they are pruned on read and deleted at the next write.",
		Fix: "Keep the properties of metadata. With controller-gen, generate the CRD with crd:generateEmbeddedObjectMeta=true.",
		Old: "{type: object, properties: {metadata: {type: object, properties: {labels: {type: object, additionalProperties: {type: string}}}}}}",
		New: "{type: object, properties: {metadata: {type: object}}}", Object: "{spec: {f: {metadata: {labels: {a: x}}}}}"},
}
