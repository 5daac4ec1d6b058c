// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// exampleDefinition is the text of a definition with some versions.
func exampleDefinition(versions ...string) string {
	return "{spec: {versions: [" + strings.Join(versions, ", ") + "]}}"
}

// exampleVersion is the text of a version whose .spec has the given properties.
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

// versionRules are about versions that come, go, or are stored; those about conversion are conversionRules.
var versionRules = []Rule{
	{ID: "E01", Change: "version removed, not in storedVersions, was served", Verdict: Breaking, Hits: hitsAll,
		Who: "Clients of that version get 404. Helm cannot upgrade releases whose stored manifest names it, and server-side apply " +
			"fails on objects whose managedFields name it.",
		Fix: "Stop serving it for one release (CRD-E04), move Helm releases and manifests to another version, rewrite the " +
			"managedFields of every object, and remove it then.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, "{name: v1beta1, served: true, storage: false}"), New: exampleDefinition(v1Stored)},
	{ID: "E02", Change: "version removed while in status.storedVersions", Verdict: Refused,
		Who: "Whoever applies the definition: the API server refuses to lose a version that objects may still be stored in. " +
			"storedVersions only grows by itself.",
		Fix:   "Run a storage migration that writes every object anew, then take the version out of status.storedVersions, then remove it.",
		Scope: InDefinition, Old: "{spec: {versions: [" + v1Stored + ", {name: v1beta1, served: true, storage: false}]}, status: " +
			"{conditions: [{type: Established, status: \"True\"}], storedVersions: [v1beta1, v1]}}",
		New: exampleDefinition(v1Stored)},
	{ID: "E03", Change: "old storage version removed, new one added at once", Verdict: Refused,
		Who:   "Whoever applies the definition: the removed version is still in status.storedVersions, so the API server refuses it.",
		Fix:   "Add the new version and make it the storage version; migrate all objects; remove the old one in a later release.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored), New: exampleDefinition(v2Stored)},
	{ID: "E04", Change: "served true -> false", Verdict: Breaking, Hits: hitsAll,
		Who: "Clients of that version get 404: programs, kubectl with that version, Helm releases whose stored manifest names it. " +
			"Server-side apply fails on objects whose managedFields name it. Nothing stored is lost.",
		Fix: "Mark it deprecated with a warning first, watch apiserver_requested_deprecated_apis until nobody asks for it, and " +
			"rewrite Helm releases and managedFields.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, "{name: v1beta1, served: true, storage: false}"), New: exampleDefinition(v1Stored,
			"{name: v1beta1, served: false, storage: false}")},
	{ID: "E05", Change: "served false -> true", Verdict: Review, Hits: hitsReaders,
		Who: "Clients that use the preferred version (kubectl, discovery, GitOps tools): it moves if this version ranks higher. " +
			"Without a webhook, conversion prunes what its schema lacks.",
		Fix:   "Compare the schemas of all served versions before. Name versions in scripts and manifests explicitly.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, "{name: v2, served: false, storage: false}"),
		New: exampleDefinition(v1Stored, v2Served)},
	{ID: "E06", Change: "new version added served, identical schema", Verdict: Review, Hits: hitsReaders,
		Who: "Clients that use the preferred version (kubectl, discovery, GitOps tools): it moves if the new one ranks higher. " +
			"After a rollback, manifests and managedFields that name the new version no longer work.",
		Fix:   "Name versions in scripts and manifests explicitly, and do not write through the new one until a rollback is out of the question.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored), New: exampleDefinition(v1Stored, v2Served)},
	{ID: "E13", Change: "deprecated set + warning", Verdict: Informational,
		Who:   "Nobody: clients of the version see a warning. It is the beginning of its end.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored),
		New: exampleDefinition("{name: v1, served: true, storage: true, deprecated: true, deprecationWarning: use v2}")},
	{ID: "E14", Change: "deprecation withdrawn", Verdict: Informational,
		Who:   "Nobody: clients of the version see no warning any more.",
		Scope: InDefinition, Old: exampleDefinition("{name: v1, served: true, storage: true, deprecated: true}"),
		New: exampleDefinition(v1Stored)},
	{ID: "E15", Change: "schema removed (nil openAPIV3Schema)", Verdict: Refused,
		Who:   "Whoever applies the definition: every version needs a schema.",
		Fix:   "Give the version a schema. To check nothing, use type: object with x-kubernetes-preserve-unknown-fields.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored), New: exampleDefinition("{name: v1, served: true, storage: true, schema: {}}")},
	{ID: "E16", Change: "schema becomes {type: object, preserve-unknown} at root", Verdict: Review, Effects: extended,
		Hits: Hits{SSAWriters: true, Readers: true, Rollback: true},
		Who: "Nothing is rejected any more, not even what makes no sense; defaults are no longer filled in; managers of server-side " +
			"apply own what is undeclared with another granularity. A rollback prunes whatever the old schema does not know.",
		Fix:   "Keep the schema, and open only the field that needs it.",
		Scope: InRoot, Old: "{properties: {spec: {type: object, properties: {f: {type: string}, other: {type: string}}}}}",
		New:    "{x-kubernetes-preserve-unknown-fields: true}",
		Object: "{spec: {f: a}}", After: "{spec: {g: a}}"},
	{ID: "E20", Change: "only metadata changed (labels, controller-gen version)", Verdict: Informational,
		Who:   "Nobody: labels and annotations of the definition change nothing that is served.",
		Scope: InDefinition, Old: "{metadata: {annotations: {controller-gen.kubebuilder.io/version: v0.18.0}}}",
		New: "{metadata: {annotations: {controller-gen.kubebuilder.io/version: v0.19.0}}}"},
	{ID: "E23", Change: "field dropped from a served version, and a new version added without it", Verdict: Destructive, Hits: hitsAll,
		Who: "As with any removed field, in every version: stored values vanish on read and are lost at the next write. That a new " +
			"version comes at the same time does not keep them.",
		Fix: "Leave the old version as it is. Drop the field in the new version only, with a conversion webhook that keeps it (in " +
			"an annotation, if need be).",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields)),
		New: exampleDefinition(exampleVersion("v1", false, onlyOther), exampleVersion("v2", true, onlyOther))},
	{ID: "E24", Change: "unserved version edited", Verdict: Informational,
		Who:   "Nobody: no client reads or writes through it. Objects that are still stored in it are converted as before.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, "{name: v1beta1, served: false, storage: false}"),
		New: exampleDefinition(v1Stored, strings.Replace(exampleVersion("v1beta1", false, onlyOther), "served: true", "served: false", 1))},
	{ID: "E25", Change: "versions reordered only", Verdict: Informational,
		Who:   "Nobody: the order of versions in a manifest means nothing.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, v2Served), New: exampleDefinition(v2Served, v1Stored)},
	{ID: "E26", Change: "storage version changes", Verdict: Review, Hits: Hits{Stored: true, Rollback: true},
		Who: "Objects are stored in the new version as they are written; the others stay as they are. The old version stays in " +
			"storedVersions and cannot be removed; and a rollback to a definition without the new version is refused.",
		Fix: "Plan a storage migration: write every object anew (managedFields, too), count, then take the old version out of " +
			"status.storedVersions.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, v2Served), New: exampleDefinition(v1Served, v2Stored)},
}
