// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// exampleDefinition returns the YAML of a CRD with the versions.
func exampleDefinition(versions ...string) string {
	return "{spec: {versions: [" + strings.Join(versions, ", ") + "]}}"
}

// exampleVersion returns the YAML of a version whose .spec has the properties.
func exampleVersion(name string, storage bool, properties string) string {
	flags := ", served: true, storage: false"
	if storage {
		flags = ", served: true, storage: true"
	}
	return "{name: " + name + flags + ", schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: " +
		properties +
		"}, status: {type: object, properties: {phase: {type: string}}}}}}}"
}

const (
	v1Stored = "{name: v1, served: true, storage: true}"
	v1Served = "{name: v1, served: true, storage: false}"
	v2Stored = "{name: v2, served: true, storage: true}"
	v2Served = "{name: v2, served: true, storage: false}"

	bothFields = "{f: {type: string}, other: {type: string}}"
	onlyOther  = "{other: {type: string}}"
	enumA      = "{f: {type: string, enum: [a]}}"
	enumAB     = "{f: {type: string, enum: [a, b]}}"
)

// versionRules cover versions that are added, removed, served or stored. For conversion, see conversionRules.
var versionRules = []Rule{
	{ID: "E01", Change: "version removed, not in storedVersions, was served", Verdict: Breaking, Hits: hitsAll,
		What: "A version that was served, and is not in `status.storedVersions`, is removed.",
		Who: "Clients of the version: their requests fail with 404. Helm cannot upgrade releases whose stored manifest has the " +
			"version, and server-side apply fails for objects whose managedFields have it.",
		Fix: "Stop serving the version for one release (CRD-E04). Migrate Helm releases and manifests to another version, rewrite the " +
			"managedFields of all objects, and then remove the version.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, "{name: v1beta1, served: true, storage: false}"), New: exampleDefinition(v1Stored)},
	{ID: "E02", Change: "version removed while in status.storedVersions", Verdict: Refused,
		What: "A version that is listed in `status.storedVersions` is removed.",
		Who: "Clients that apply the CRD: the API server rejects the removal of a version in which objects may still be stored. It " +
			"adds versions to storedVersions, but never removes any.",
		Fix: "Run a storage migration that rewrites all objects. Then remove the version from status.storedVersions, and after that " +
			"from the CRD.",
		Scope: InDefinition, Old: "{spec: {versions: [" + v1Stored + ", {name: v1beta1, served: true, storage: false}]}, status: " +
			"{conditions: [{type: Established, status: \"True\"}], storedVersions: [v1beta1, v1]}}",
		New: exampleDefinition(v1Stored)},
	{ID: "E03", Change: "storage version replaced in one step", Verdict: Refused,
		What: "The storage version is removed in the same change that adds its replacement.",
		Who: "Clients that apply the CRD: the removed version is still listed in status.storedVersions, so the API server rejects the " +
			"change.",
		Fix: "Add the new version and make it the storage version, migrate all objects, and remove the old version in a later " +
			"release.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored), New: exampleDefinition(v2Stored)},
	{ID: "E04", Change: "served true -> false", Verdict: Breaking, Hits: hitsAll,
		What: "A version is no longer served.",
		Who: "Clients of the version, such as programs, kubectl with this version and Helm releases whose stored manifest has it: " +
			"their requests fail with 404. Server-side apply fails for objects whose managedFields have the version. No stored data is " +
			"lost.",
		Fix: "Mark the version as deprecated with a warning first. Observe the metric apiserver_requested_deprecated_apis until no " +
			"client requests the version, and rewrite Helm releases and managedFields.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, "{name: v1beta1, served: true, storage: false}"), New: exampleDefinition(v1Stored,
			"{name: v1beta1, served: false, storage: false}")},
	{ID: "E05", Change: "served false -> true", Verdict: Review, Hits: hitsReaders,
		What: "A version that was not served is served.",
		Who: "Clients that use the preferred version, such as kubectl and GitOps tools: it changes if this version has a higher " +
			"priority. Without a webhook, conversion prunes fields that the schema of this version does not declare.",
		Fix:   "Compare the schemas of all served versions first, and specify versions explicitly in scripts and manifests.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, "{name: v2, served: false, storage: false}"),
		New: exampleDefinition(v1Stored, v2Served)},
	{ID: "E06", Change: "new served version with an identical schema", Verdict: Review, Hits: hitsReaders,
		What: "A new version is served, and its schema is identical to that of another version.",
		Who: "Clients that use the preferred version, such as kubectl and GitOps tools: it changes if the new version has a higher " +
			"priority. After a rollback, manifests and managedFields with the new version are invalid.",
		Fix: "Specify versions explicitly in scripts and manifests. Do not write objects through the new version while a rollback is " +
			"possible.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored), New: exampleDefinition(v1Stored, v2Served)},
	{ID: "E13", Change: "version marked as deprecated", Verdict: Informational,
		What:  "A version is marked as deprecated, with or without a warning.",
		Who:   "Nobody: clients of the version receive a warning. A later release may remove the version.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored),
		New: exampleDefinition("{name: v1, served: true, storage: true, deprecated: true, deprecationWarning: use v2}")},
	{ID: "E14", Change: "deprecation withdrawn", Verdict: Informational,
		What:  "A version is no longer marked as deprecated.",
		Who:   "Nobody: clients of the version no longer receive a warning.",
		Scope: InDefinition, Old: exampleDefinition("{name: v1, served: true, storage: true, deprecated: true}"),
		New: exampleDefinition(v1Stored)},
	{ID: "E15", Change: "schema removed", Verdict: Refused,
		What:  "A version no longer has a schema.",
		Who:   "Clients that apply the CRD: the API server rejects a version without a schema.",
		Fix:   "Add a schema to the version. To skip validation, use type: object with x-kubernetes-preserve-unknown-fields.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored), New: exampleDefinition("{name: v1, served: true, storage: true, schema: {}}")},
	{ID: "E16", Change: "schema replaced by an object that preserves unknown fields", Verdict: Review, Effects: extended,
		Hits: Hits{SSAWriters: true, Readers: true, Rollback: true},
		What: "The schema of a version is replaced by one that accepts any object.",
		Who: "Nothing is rejected: invalid objects are accepted, and defaults no longer apply. Server-side apply tracks the ownership " +
			"of undeclared fields with a different granularity. A rollback prunes fields that the old schema does not declare.",
		Fix:   "Keep the schema, and set x-kubernetes-preserve-unknown-fields only on the field that needs it.",
		Scope: InRoot, Old: "{properties: {spec: {type: object, properties: {f: {type: string}, other: {type: string}}}}}",
		New:    "{x-kubernetes-preserve-unknown-fields: true}",
		Object: "{spec: {f: a}}", After: "{spec: {g: a}}"},
	{ID: "E20", Change: "only metadata changed (labels, controller-gen version)", Verdict: Informational,
		What:  "Labels or annotations of the CRD change.",
		Who:   "Nobody: labels and annotations of the CRD do not affect its objects.",
		Scope: InDefinition, Old: "{metadata: {annotations: {controller-gen.kubebuilder.io/version: v0.18.0}}}",
		New: "{metadata: {annotations: {controller-gen.kubebuilder.io/version: v0.19.0}}}"},
	{ID: "E23", Change: "field removed from a served version while a new version is added", Verdict: Destructive, Hits: hitsAll,
		What: "A field is removed from a served version, and a new version without the field is added.",
		Who: "Stored objects: reads no longer return the value in any version, and the next write deletes it permanently. The new " +
			"version does not preserve the field.",
		Fix: "Do not change the old version. Remove the field only in the new version, with a conversion webhook that preserves it, " +
			"for example in an annotation.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields)),
		New: exampleDefinition(exampleVersion("v1", false, onlyOther), exampleVersion("v2", true, onlyOther))},
	{ID: "E24", Change: "version that is not served changed", Verdict: Informational,
		What:  "A version that is not served changes.",
		Who:   "Nobody: no client reads or writes this version. Objects that are stored in it are converted as before.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, "{name: v1beta1, served: false, storage: false}"),
		New: exampleDefinition(v1Stored, strings.Replace(exampleVersion("v1beta1", false, onlyOther), "served: true", "served: false", 1))},
	{ID: "E25", Change: "versions reordered only", Verdict: Informational,
		What:  "The versions of a CRD are listed in another order.",
		Who:   "Nobody: the order of versions in a CRD has no effect.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, v2Served), New: exampleDefinition(v2Served, v1Stored)},
	{ID: "E26", Change: "storage version changes", Verdict: Review, Hits: Hits{Stored: true, Rollback: true},
		What: "Objects are stored in another version.",
		Who: "Stored objects: an object is stored in the new version with its next write. The old version stays in " +
			"status.storedVersions and cannot be removed. The API server rejects a rollback to a CRD without the new version.",
		Fix: "Plan a storage migration: rewrite all objects, including their managedFields, verify the number of objects, and then " +
			"remove the old version from status.storedVersions.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, v2Served), New: exampleDefinition(v1Served, v2Stored)},
}
