// SPDX-License-Identifier: Apache-2.0

package rules

// liveRules cover objects that are stored in a cluster. They are found by a replay of the objects against the new schema.
var liveRules = []Rule{
	{ID: "L01", Change: "stored objects lose fields", Verdict: Destructive, Hits: hitsAll, Scope: InCluster,
		What: "Stored objects have fields that the new schema prunes.",
		Who:  "The listed objects: reads no longer return these fields, and the next write deletes them permanently.",
		Fix: "Save the objects with kubectl get -o yaml, and move the values to fields that the new schema declares. Alternatively, " +
			"keep the fields in the schema."},
	{ID: "L02", Change: "stored objects are not valid under the new schema", Verdict: Breaking,
		Hits: hitsValues, Scope: InCluster,
		What: "Stored objects are valid under the old schema, but not under the new one.",
		Who: "The listed objects: they cannot be recreated, for example from a backup or in another cluster, and edits of the invalid " +
			"values are rejected. Updates of metadata are accepted.",
		Fix: "Correct the objects, and the manifests that create them, before the upgrade. The message describes the error of each " +
			"object."},
	{ID: "L03", Change: "stored objects reject every update, including the removal of finalizers", Verdict: Destructive,
		Hits: hitsTypes, Scope: InCluster,
		What: "Stored objects are not valid under the new schema, and ratcheting does not apply to the error.",
		Who: "The listed objects: every update is rejected, including the removal of a finalizer. The objects cannot be deleted, and " +
			"neither can their namespaces or the CRD.",
		Fix: "Correct the objects before the upgrade. After the upgrade, you must apply the old schema, or a less strict one, until " +
			"the objects are corrected."},
	{ID: "L04", Change: "server-side apply of stored objects fails", Verdict: Breaking, Hits: Hits{Stored: true,
		SSAWriters: true}, Scope: InCluster,
		What: "Stored objects cannot be applied by server-side apply under the new schema.",
		Who: "Flux, Argo CD, Helm 4 and operators that apply the listed objects: the new schema does not declare a field, declares it " +
			"with another type, or rejects duplicates in a list. The entire apply fails.",
		Fix: "Remove the fields and duplicates from manifests and stored objects before the upgrade."},
	{ID: "L05", Change: "stored objects get defaults", Verdict: Review, Hits: Hits{Stored: true, Readers: true}, Scope: InCluster,
		What: "Stored objects do not set fields that have a default in the new schema.",
		Who:  "Readers of the listed objects: reads return values that no client wrote. Operators may reconcile or restart pods.",
		Fix:  "Verify that each default matches the current behavior of objects without the field."},
	{ID: "L06", Change: "live objects were not all checked", Verdict: Review, Scope: InCluster,
		What: "Some stored objects were not checked, because the permission to list them is missing, or because the check ran out of " +
			"time.",
		Who: "Unknown: objects that were not checked may be affected by any finding.",
		Fix: "Grant the permission to list the kind, or increase the time limit of the check, and run it again."},
	{ID: "L07", Change: "several managers apply fields below a path whose merge strategy changes", Verdict: Breaking, Hits: Hits{Stored: true,
		SSAWriters: true}, Scope: InCluster,
		What: "Several field managers use server-side apply for the same list or map, and its type changes.",
		Who: "The listed managers: they conflict with each other until one of them forces the apply, which deletes the values of the " +
			"other. Alternatively, items without an owner stay in the list.",
		Fix: "Let one manager own the complete list or map before the change. The other managers must release their fields by an " +
			"apply without them."},
	{ID: "L08", Change: "nulls of stored objects are dropped or replaced with the default", Verdict: Review, Hits: Hits{Stored: true,
		Readers: true}, Scope: InCluster,
		What: "Stored objects have nulls that the new schema does not allow.",
		Who:  "Readers of the listed objects for which null has another meaning than an unset field or the default.",
		Fix:  "Replace each null in stored objects and manifests with an explicit value."},
}
