// SPDX-License-Identifier: Apache-2.0

package rules

// The CRD of an example has one version. These are the beginning and the end of its YAML.
const (
	onlyVersion = "{spec: {versions: [{name: v1, served: true, storage: true"
	endVersion  = "}]}}"
)

// docRules cover documentation.
var docRules = []Rule{
	{ID: "C01", Change: "description changed", Verdict: Informational, Effects: untouched,
		What: "The description of a field changes.",
		Who:  "Nobody: kubectl explain shows the new text.",
		Old:  "{type: string, description: a}", New: "{type: string, description: b}", Object: "{spec: {f: a}}"},
	{ID: "C02", Change: "title/example/externalDocs changed", Verdict: Informational, Effects: untouched,
		What: "The title, example or external documentation of a field changes.",
		Who:  "Nobody: the API server does not use these texts.",
		Old:  "{type: string, title: a, example: x}", New: "{type: string, title: b, example: z}", Object: "{spec: {f: a}}"},
}

// nameRules cover names, scope, subresources and columns.
var nameRules = []Rule{
	{ID: "D01", Change: "scope changed (established)", Verdict: Refused,
		What: "The scope of an established CRD changes.",
		Who:  "Clients that apply the CRD: the API server rejects another scope if the CRD is established.",
		Fix: "Create a new kind or group with the other scope, and migrate the objects. Note that deleting the CRD to recreate it " +
			"deletes all its objects.",
		Scope: InDefinition, Old: "{spec: {scope: Namespaced}}", New: "{spec: {scope: Cluster}}"},
	{ID: "D02", Change: "group changed (same CRD name)", Verdict: Refused,
		What:  "The API group of a CRD changes.",
		Who:   "Clients that apply the CRD: the group is immutable and is part of the name of the CRD.",
		Fix:   "Create a second CRD in the new group, migrate the objects, and delete the old CRD when it is no longer in use.",
		Scope: InDefinition, Old: "{spec: {group: example.com}}", New: "{spec: {group: other.example.com}}"},
	{ID: "D03", Change: "kind changed", Verdict: Refused,
		What:  "The kind of an established CRD changes.",
		Who:   "Clients that apply the CRD: the API server rejects another kind if the CRD is established.",
		Fix:   "Create a second CRD with the new kind and plural name, and migrate the objects.",
		Scope: InDefinition, Old: "{spec: {names: {kind: Test}}}", New: "{spec: {names: {kind: Test2}}}"},
	{ID: "D04", Change: "listKind changed", Verdict: Review, Hits: hitsReaders,
		What: "The name of the list kind changes.",
		Who: "Generated clients, which decode a list by its kind, and controllers that look up list kinds: they fail until they are " +
			"rebuilt.",
		Fix:   "Keep listKind. Another name has no advantage.",
		Scope: InDefinition, Old: "{spec: {names: {listKind: TestList}}}", New: "{spec: {names: {listKind: Test2List}}}"},
	{ID: "D05", Change: "plural changed (same CRD name)", Verdict: Refused,
		What:  "The plural name of a CRD changes.",
		Who:   "Clients that apply the CRD: the plural name is immutable and is part of the name of the CRD.",
		Fix:   "Create a second CRD with the new plural name, and migrate the objects.",
		Scope: InDefinition, Old: "{spec: {names: {plural: tests}}}", New: "{spec: {names: {plural: tests2}}}"},
	{ID: "D06", Change: "singular changed", Verdict: Review, Hits: hitsReaders,
		What:  "The singular name of a CRD changes.",
		Who:   "Users and scripts that pass the singular name to kubectl.",
		Fix:   "Keep the old singular name as a short name.",
		Scope: InDefinition, Old: "{spec: {names: {singular: test}}}", New: "{spec: {names: {singular: trial}}}"},
	{ID: "D07", Change: "shortName removed", Verdict: Review, Hits: hitsReaders,
		What:  "A short name of a CRD is removed.",
		Who:   "Users and scripts that pass the short name to kubectl.",
		Fix:   "Keep the short name, or search scripts and runbooks for it first.",
		Scope: InDefinition, Old: "{spec: {names: {shortNames: [t]}}}", New: "{spec: {names: {shortNames: []}}}"},
	{ID: "D08", Change: "category removed", Verdict: Informational,
		What:  "A category of a CRD is removed.",
		Who:   "Nobody, except users who list the objects of a category, for example with kubectl get all.",
		Scope: InDefinition, Old: "{spec: {names: {categories: [all]}}}", New: "{spec: {names: {categories: []}}}"},
	{ID: "D09", Change: "category or short name added", Verdict: Informational,
		What:  "A category or short name of a CRD is added.",
		Who:   "Nobody. If another kind already uses the short name, the condition NamesAccepted of the CRD is False.",
		Scope: InDefinition, Old: "{spec: {names: {kind: Test}}}", New: "{spec: {names: {shortNames: [t], categories: [all]}}}"},
	{ID: "D10", Change: "status subresource added", Verdict: Breaking, Hits: Hits{Writers: true, SSAWriters: true},
		What: "The status subresource is enabled.",
		Who: "Controllers and tools that write the status through the main resource: the API server ignores it there without an " +
			"error. Restores lose the status.",
		Fix: "Let controllers write to /status first, and fall back to the main resource if the response is 404. Release this version " +
			"of the controllers before you change the CRD.",
		Scope: InDefinition, Old: onlyVersion + endVersion, New: onlyVersion + ", subresources: {status: {}}" + endVersion},
	{ID: "D11", Change: "scale subresource removed", Verdict: Breaking, Hits: Hits{Writers: true, Readers: true},
		What: "The scale subresource is removed.",
		Who: "HorizontalPodAutoscalers, PodDisruptionBudgets and kubectl scale: requests to /scale fail with 404, and autoscaling " +
			"stops at the current number of replicas.",
		Fix:   "Keep the subresource, or delete the autoscalers that target the kind first.",
		Scope: InDefinition, Old: onlyVersion + ", subresources: {scale: {specReplicasPath: .spec.f, statusReplicasPath: .status.phase}}" +
			endVersion, New: onlyVersion + endVersion},
	{ID: "D12", Change: "scale specReplicasPath changed", Verdict: Breaking, Hits: Hits{Writers: true, Readers: true},
		What: "The scale subresource uses another field for the desired number of replicas.",
		Who: "HorizontalPodAutoscalers and kubectl scale: they read and write another field, which stored objects do not set. " +
			"Workloads may scale to zero or stay unchanged.",
		Fix:   "Let the operator copy the number to the new field in all objects, and change the path afterwards.",
		Scope: InDefinition, Old: onlyVersion + ", subresources: {scale: {specReplicasPath: .spec.f, statusReplicasPath: .status.phase}}" +
			endVersion,
		New: onlyVersion + ", subresources: {scale: {specReplicasPath: .spec.other, statusReplicasPath: .status.phase}}" + endVersion},
	{ID: "D13", Change: "scale statusReplicasPath or labelSelectorPath changed", Verdict: Breaking, Hits: Hits{Readers: true},
		What: "The scale subresource uses another field for the current number of replicas or for the label selector.",
		Who: "HorizontalPodAutoscalers and PodDisruptionBudgets: until the operator sets the other field, they find no replicas or no " +
			"pods, and do nothing or refuse evictions.",
		Fix:   "Release an operator that sets both fields first, wait until all objects have them, and then change the path.",
		Scope: InDefinition, Old: onlyVersion + ", subresources: {scale: {specReplicasPath: .spec.f, statusReplicasPath: .status.phase}}" +
			endVersion,
		New: onlyVersion + ", subresources: {scale: {specReplicasPath: .spec.f, statusReplicasPath: .status.replicas}}" + endVersion},
	{ID: "D14", Change: "selectableField removed", Verdict: Breaking, Hits: Hits{Readers: true},
		What:  "A field can no longer be used in field selectors.",
		Who:   "Clients that list or watch with this field selector: the API server responds with 400, and informers do not sync.",
		Fix:   "Keep the field selectable until no client selects by it.",
		Scope: InDefinition, Old: onlyVersion + ", selectableFields: [{jsonPath: .spec.f}]" + endVersion, New: onlyVersion + endVersion},
	{ID: "D15", Change: "selectableField added", Verdict: Safe, Hits: hitsOnRollback,
		What: "A field can be used in field selectors.",
		Who: "Nobody during the upgrade. After a rollback, the API server responds with 400 to clients that select by the field. " +
			"Kubernetes 1.30 and earlier ignore selectable fields.",
		Fix:   "Before a rollback, downgrade clients that select by the field.",
		Scope: InDefinition, Old: onlyVersion + endVersion, New: onlyVersion + ", selectableFields: [{jsonPath: .spec.f}]" + endVersion},
	{ID: "D16", Change: "field of a selectableField removed from the schema", Verdict: Refused,
		What: "A field that can be used in field selectors is no longer in the schema.",
		Who:  "Clients that apply the CRD: the API server rejects a selectable field whose path is not in the schema.",
		Fix: "Remove the field from selectableFields in an earlier release, when no client selects by it. For the field itself, see " +
			"CRD-101.",
		Scope: InDefinition, Old: onlyVersion + ", selectableFields: [{jsonPath: .spec.f}]" + endVersion,
		New: onlyVersion + ", selectableFields: [{jsonPath: .spec.f}], schema: {openAPIV3Schema: {type: object, properties: {spec: " +
			"{type: object, properties: {other: {type: string}}}}}}" + endVersion},
	{ID: "D17", Change: "scale subresource added", Verdict: Safe, Hits: hitsOnRollback,
		What:  "The scale subresource is enabled.",
		Who:   "Nobody during the upgrade. After a rollback, requests of autoscalers to /scale fail with 404.",
		Fix:   "Before a rollback, delete the autoscalers that target the kind.",
		Scope: InDefinition, Old: onlyVersion + endVersion, New: onlyVersion +
			", subresources: {scale: {specReplicasPath: .spec.f, statusReplicasPath: .status.phase}}" + endVersion},
	{ID: "D18", Change: "printer column added", Verdict: Informational,
		What:  "A column is added to the output of kubectl get.",
		Who:   "Nobody, except scripts that parse columns of the output of kubectl get.",
		Scope: InDefinition, Old: onlyVersion + endVersion, New: onlyVersion +
			", additionalPrinterColumns: [{name: F, type: string, jsonPath: .spec.f}]" + endVersion},
	{ID: "D19", Change: "printer column refers to a removed field", Verdict: Review, Hits: Hits{Readers: true},
		What:  "A column of the output of kubectl get refers to a field that is no longer in the schema.",
		Who:   "Users and scripts that read the column: it stays in the output, but is empty.",
		Fix:   "Change the path of the column to the successor of the field, or remove the column.",
		Scope: InDefinition, Old: onlyVersion + ", additionalPrinterColumns: [{name: F, type: string, jsonPath: .spec.f}]" + endVersion,
		New: onlyVersion + ", additionalPrinterColumns: [{name: F, type: string, jsonPath: .spec.f}], schema: {openAPIV3Schema: " +
			"{type: object, properties: {spec: {type: object, properties: {other: {type: string}}}}}}" + endVersion},
	{ID: "D20", Change: "scope changed while not established", Verdict: Destructive, Hits: hitsAll,
		What: "The scope of a CRD changes before the CRD is established.",
		Who: "Stored objects of the old scope: the API server accepts the change while the CRD is not established, and these objects " +
			"become unreachable.",
		Fix:   "Wait until the CRD is established, so that the API server rejects the change, or verify that no objects are stored.",
		Scope: InDefinition, Old: "{spec: {scope: Namespaced}, status: {storedVersions: [v1]}}", New: "{spec: {scope: Cluster}}"},
	{ID: "D21", Change: "status subresource removed", Verdict: Breaking, Hits: Hits{Writers: true, SSAWriters: true},
		What: "The status subresource is removed.",
		Who: "Controllers that write the status: requests to /status fail with 404. Users who may edit the object may edit its " +
			"status, and metadata.generation increases with every change of the status.",
		Fix:   "Keep the subresource.",
		Scope: InDefinition, Old: onlyVersion + ", subresources: {status: {}}" + endVersion, New: onlyVersion + endVersion},
}
