// SPDX-License-Identifier: Apache-2.0

package rules

// Definitions of examples begin with one version; these are its variants.
const (
	onlyVersion = "{spec: {versions: [{name: v1, served: true, storage: true"
	endVersion  = "}]}}"
)

// docRules are about words for people.
var docRules = []Rule{
	{ID: "C01", Change: "description changed", Verdict: Informational, Effects: untouched, Who: "Nobody: kubectl explain shows another text.",
		Old: "{type: string, description: a}", New: "{type: string, description: b}", Object: "{spec: {f: a}}"},
	{ID: "C02", Change: "title/example/externalDocs changed", Verdict: Informational, Effects: untouched,
		Who: "Nobody: these are words for people.",
		Old: "{type: string, title: a, example: x}", New: "{type: string, title: b, example: z}", Object: "{spec: {f: a}}"},
}

// nameRules are about names, scope, subresources and columns of a definition.
var nameRules = []Rule{
	{ID: "D01", Change: "scope changed (established)", Verdict: Refused,
		Who: "Whoever applies the definition: the API server refuses another scope once the definition is Established.",
		Fix: "Make a new kind or group with the other scope and move the objects over. Deleting the definition to make it anew " +
			"deletes all its objects.",
		Scope: InDefinition, Old: "{spec: {scope: Namespaced}}", New: "{spec: {scope: Cluster}}"},
	{ID: "D02", Change: "group changed (same CRD name)", Verdict: Refused,
		Who:   "Whoever applies the definition: the group is immutable and part of the definition's name.",
		Fix:   "Add a second definition in the new group, move the objects over, and remove the old one when nobody uses it.",
		Scope: InDefinition, Old: "{spec: {group: example.com}}", New: "{spec: {group: other.example.com}}"},
	{ID: "D03", Change: "kind changed", Verdict: Refused,
		Who:   "Whoever applies the definition: the API server refuses another kind once the definition is Established.",
		Fix:   "Add a second definition with the new kind and plural name, and move the objects over.",
		Scope: InDefinition, Old: "{spec: {names: {kind: Test}}}", New: "{spec: {names: {kind: Test2}}}"},
	{ID: "D04", Change: "listKind changed", Verdict: Review, Hits: hitsReaders,
		Who: "Generated clients, which decode a list by its kind, and controllers that look list kinds up: they fail until they are " +
			"built anew.",
		Fix:   "Keep listKind; there is no gain in another one.",
		Scope: InDefinition, Old: "{spec: {names: {listKind: TestList}}}", New: "{spec: {names: {listKind: Test2List}}}"},
	{ID: "D05", Change: "plural changed (same CRD name)", Verdict: Refused,
		Who:   "Whoever applies the definition: the plural name is immutable and part of the definition's name.",
		Fix:   "Add a second definition with the new plural name, and move the objects over.",
		Scope: InDefinition, Old: "{spec: {names: {plural: tests}}}", New: "{spec: {names: {plural: tests2}}}"},
	{ID: "D06", Change: "singular changed", Verdict: Review, Hits: hitsReaders,
		Who:   "People and scripts that call kubectl with the singular name.",
		Fix:   "Keep the old singular as a short name.",
		Scope: InDefinition, Old: "{spec: {names: {singular: test}}}", New: "{spec: {names: {singular: trial}}}"},
	{ID: "D07", Change: "shortName removed", Verdict: Review, Hits: hitsReaders,
		Who:   "People and scripts that call kubectl with the short name.",
		Fix:   "Keep the short name, or search scripts and runbooks for it first.",
		Scope: InDefinition, Old: "{spec: {names: {shortNames: [t]}}}", New: "{spec: {names: {shortNames: []}}}"},
	{ID: "D08", Change: "category removed", Verdict: Informational, Who: "Nobody but those who read kubectl get of a category such as all.",
		Scope: InDefinition, Old: "{spec: {names: {categories: [all]}}}", New: "{spec: {names: {categories: []}}}"},
	{ID: "D09", Change: "category or short name added", Verdict: Informational,
		Who:   "Nobody. A short name that another kind already has makes the condition NamesAccepted false.",
		Scope: InDefinition, Old: "{spec: {names: {kind: Test}}}", New: "{spec: {names: {shortNames: [t], categories: [all]}}}"},
	{ID: "D10", Change: "status subresource added", Verdict: Breaking, Hits: Hits{Writers: true, SSAWriters: true},
		Who: "Controllers and tools that write status through the main endpoint: from now on the API server ignores status there, " +
			"without an error. Restores lose the status.",
		Fix:   "Let controllers write /status first and fall back to the main endpoint on 404; release that before the definition changes.",
		Scope: InDefinition, Old: onlyVersion + endVersion, New: onlyVersion + ", subresources: {status: {}}" + endVersion},
	{ID: "D11", Change: "scale subresource removed", Verdict: Breaking, Hits: Hits{Writers: true, Readers: true},
		Who:   "HorizontalPodAutoscalers, PodDisruptionBudgets and kubectl scale: /scale answers 404, and autoscaling stops at the present size.",
		Fix:   "Keep the subresource, or remove the autoscalers that target the kind first.",
		Scope: InDefinition, Old: onlyVersion + ", subresources: {scale: {specReplicasPath: .spec.f, statusReplicasPath: .status.phase}}" +
			endVersion, New: onlyVersion + endVersion},
	{ID: "D12", Change: "scale specReplicasPath changed", Verdict: Breaking, Hits: Hits{Writers: true, Readers: true},
		Who: "HorizontalPodAutoscalers and kubectl scale: they read and set another field, which stored objects have not filled in, " +
			"so workloads may jump to zero or stay as they are.",
		Fix:   "Let the operator copy the number into the new field on every object, and change the path only afterwards.",
		Scope: InDefinition, Old: onlyVersion + ", subresources: {scale: {specReplicasPath: .spec.f, statusReplicasPath: .status.phase}}" +
			endVersion,
		New: onlyVersion + ", subresources: {scale: {specReplicasPath: .spec.other, statusReplicasPath: .status.phase}}" + endVersion},
	{ID: "D13", Change: "scale statusReplicasPath or labelSelectorPath changed", Verdict: Breaking, Hits: Hits{Readers: true},
		Who: "HorizontalPodAutoscalers and PodDisruptionBudgets: until the operator fills in the other field, they see no replicas " +
			"or no pods, and do nothing or refuse evictions.",
		Fix:   "Release an operator that fills in both fields first, wait until all objects have them, then change the path.",
		Scope: InDefinition, Old: onlyVersion + ", subresources: {scale: {specReplicasPath: .spec.f, statusReplicasPath: .status.phase}}" +
			endVersion,
		New: onlyVersion + ", subresources: {scale: {specReplicasPath: .spec.f, statusReplicasPath: .status.replicas}}" + endVersion},
	{ID: "D14", Change: "selectableField removed", Verdict: Breaking, Hits: Hits{Readers: true},
		Who:   "Clients that list or watch with that field selector: the API server answers 400, and informers never sync.",
		Fix:   "Keep the field selectable until no client selects by it.",
		Scope: InDefinition, Old: onlyVersion + ", selectableFields: [{jsonPath: .spec.f}]" + endVersion, New: onlyVersion + endVersion},
	{ID: "D15", Change: "selectableField added", Verdict: Safe, Hits: hitsOnRollback,
		Who:   "Nobody going forward. After a rollback, clients that select by the field get 400. Servers before 1.31 ignore it.",
		Fix:   "Before a rollback, go back to clients that do not select by the field.",
		Scope: InDefinition, Old: onlyVersion + endVersion, New: onlyVersion + ", selectableFields: [{jsonPath: .spec.f}]" + endVersion},
	{ID: "D16", Change: "selectableField's field removed from schema", Verdict: Refused,
		Who:   "Whoever applies the definition: the API server refuses a selectable field whose path is not in the schema.",
		Fix:   "Remove it from selectableFields in an earlier release, when no client selects by it; see CRD-101 for the field itself.",
		Scope: InDefinition, Old: onlyVersion + ", selectableFields: [{jsonPath: .spec.f}]" + endVersion,
		New: onlyVersion + ", selectableFields: [{jsonPath: .spec.f}], schema: {openAPIV3Schema: {type: object, properties: {spec: " +
			"{type: object, properties: {other: {type: string}}}}}}" + endVersion},
	{ID: "D17", Change: "scale subresource added", Verdict: Safe, Hits: hitsOnRollback,
		Who:   "Nobody going forward: there is a new endpoint. After a rollback, autoscalers that target it get 404.",
		Fix:   "Before a rollback, remove autoscalers that target the kind.",
		Scope: InDefinition, Old: onlyVersion + endVersion, New: onlyVersion +
			", subresources: {scale: {specReplicasPath: .spec.f, statusReplicasPath: .status.phase}}" + endVersion},
	{ID: "D18", Change: "printer column added", Verdict: Informational, Who: "Nobody but scripts that cut columns out of kubectl's table.",
		Scope: InDefinition, Old: onlyVersion + endVersion, New: onlyVersion +
			", additionalPrinterColumns: [{name: F, type: string, jsonPath: .spec.f}]" + endVersion},
	{ID: "D19", Change: "printer column points at removed field", Verdict: Review, Hits: Hits{Readers: true},
		Who:   "People and scripts that read kubectl's table: the column stays and is empty.",
		Fix:   "Point the column at the field's successor, or remove it.",
		Scope: InDefinition, Old: onlyVersion + ", additionalPrinterColumns: [{name: F, type: string, jsonPath: .spec.f}]" + endVersion,
		New: onlyVersion + ", additionalPrinterColumns: [{name: F, type: string, jsonPath: .spec.f}], schema: {openAPIV3Schema: " +
			"{type: object, properties: {spec: {type: object, properties: {other: {type: string}}}}}}" + endVersion},
	{ID: "D20", Change: "scope changed while not Established", Verdict: Destructive, Hits: hitsAll,
		Who: "Objects of the old scope: the API server accepts the change while the definition is not Established, and what was " +
			"stored under the other scope cannot be reached any more.",
		Fix:   "Wait until the definition is Established and see the change refused, or make sure that no object was ever stored.",
		Scope: InDefinition, Old: "{spec: {scope: Namespaced}, status: {storedVersions: [v1]}}", New: "{spec: {scope: Cluster}}"},
	{ID: "D21", Change: "status subresource removed", Verdict: Breaking, Hits: Hits{Writers: true, SSAWriters: true},
		Who: "Status writers get 404 from /status. Whoever may edit the object may edit its status from now on, and " +
			"metadata.generation grows with every change of status.",
		Fix:   "Keep the subresource.",
		Scope: InDefinition, Old: onlyVersion + ", subresources: {status: {}}" + endVersion, New: onlyVersion + endVersion},
}
