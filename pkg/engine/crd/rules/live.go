// SPDX-License-Identifier: Apache-2.0

package rules

// liveRules are about objects that a cluster holds: seen when they are replayed against the new schema.
var liveRules = []Rule{
	{ID: "L01", Change: "stored objects lose fields", Verdict: Destructive, Hits: hitsAll, Scope: InCluster,
		Who: "The objects that are named: fields that they hold are pruned on the first read under the new schema, and lost at the next write.",
		Fix: "Save the objects (kubectl get -o yaml) and move the values to fields that stay; or keep the fields in the schema."},
	{ID: "L02", Change: "stored objects are no longer valid: they can be neither made anew nor edited", Verdict: Breaking,
		Hits: hitsValues, Scope: InCluster,
		Who: "The objects that are named: a restore or a new cluster refuses them, and so is every edit that touches what is invalid. " +
			"Updates of metadata pass.",
		Fix: "Correct the objects, and the manifests that they come from, before the upgrade: the message says what is wrong with each."},
	{ID: "L03", Change: "stored objects cannot be updated at all, not even their finalizers", Verdict: Destructive,
		Hits: hitsTypes, Scope: InCluster,
		Who: "The objects that are named: the error is not ratcheted, so every update is rejected, even the removal of a finalizer. " +
			"They cannot be deleted, and with them neither their namespace nor the definition.",
		Fix: "Correct the objects before the upgrade. Afterwards only the old or a loosened schema, applied for the time of the " +
			"correction, helps."},
	{ID: "L04", Change: "server-side apply of stored objects fails", Verdict: Breaking, Hits: Hits{Stored: true,
		SSAWriters: true}, Scope: InCluster,
		Who: "Flux, Argo CD, Helm 4 and operators that apply the objects that are named: the new schema does not declare a field, has " +
			"it in another type, or finds duplicates in a list, and the whole apply fails.",
		Fix: "Remove the fields and duplicates from manifests and stored objects before the upgrade."},
	{ID: "L05", Change: "defaults appear in stored objects", Verdict: Review, Hits: Hits{Stored: true, Readers: true}, Scope: InCluster,
		Who: "The objects that are named read with values that nobody wrote; operators may reconcile or roll pods anew.",
		Fix: "Check that each default is what the operator did for objects without the field until now."},
	{ID: "L06", Change: "live objects were not all checked", Verdict: Review, Scope: InCluster,
		Who: "Nobody is known to be hit: the right to list, or the time, was not enough to look at every object, so what was not seen " +
			"may be hit by any finding.",
		Fix: "Grant list on the kind, or give the check more time, and run it again."},
	{ID: "L07", Change: "several managers apply under a path whose topology changes", Verdict: Breaking, Hits: Hits{Stored: true,
		SSAWriters: true}, Scope: InCluster,
		Who: "The managers that are named: they own parts of the same list or map by server-side apply. From now on they conflict " +
			"until one forces and deletes the other's part, or items stay that nobody owns.",
		Fix: "Let one manager own the whole list or map before the change, and give up the other's fields by an apply without them."},
	{ID: "L08", Change: "nulls of stored objects vanish or become the default", Verdict: Review, Hits: Hits{Stored: true,
		Readers: true}, Scope: InCluster,
		Who: "Readers of the objects that are named, to whom null says something else than that the field is unset, or than its default.",
		Fix: "Replace each null in stored objects and manifests by a value that says what is meant."},
}
