// SPDX-License-Identifier: Apache-2.0

package rules

const (
	whoConflict = "Managers that share the list or map by server-side apply: they conflict with each other until one of them " +
		"forces the apply, which deletes the values of the other. Requests other than server-side apply are not affected."
	fixConflict = "Check metadata.managedFields for several managers below the path. If there are, let one of them own the " +
		"complete list or map before the change."
	fixTwins = "Remove duplicates from all stored lists first. After the upgrade, find items that no manager owns and delete " +
		"them manually, because server-side apply does not remove them."
)

// topologyRules cover the merge strategy and the ownership of lists and maps.
var topologyRules = []Rule{
	{ID: "901", Change: "list atomic(default) -> set", Verdict: Breaking, Effects: duplicates, Hits: hitsTypes,
		What: "A list of type atomic, the default, has the type set.",
		Who: "Objects with duplicates in the list: they cannot be recreated, and server-side apply of them fails. Other updates are " +
			"accepted (ratcheting). Server-side apply also leaves stale items: a value that is removed from a manifest stays in the " +
			"list without an owner.",
		Fix: fixTwins,
		Old: "{type: array, items: {type: string}}", New: "{type: array, items: {type: string}, x-kubernetes-list-type: set}",
		Object: "{spec: {f: [a, a]}}"},
	{ID: "902", Change: "list set -> atomic", Verdict: Review, Effects: loosened, Hits: Hits{SSAWriters: true, Rollback: true},
		What:   "A list of type set has the type atomic.",
		Who:    whoConflict,
		Fix:    fixConflict,
		Old:    "{type: array, items: {type: string}, x-kubernetes-list-type: set}",
		New:    "{type: array, items: {type: string}, x-kubernetes-list-type: atomic}",
		Object: "{spec: {f: [a]}}", After: "{spec: {f: [a, a]}}"},
	{ID: "903", Change: "list atomic -> map", Verdict: Breaking, Effects: duplicates, Hits: hitsTypes,
		What: "A list of type atomic has the type map.",
		Who: "Objects with two items that have the same key: they cannot be recreated, and server-side apply of them fails. Other " +
			"updates are accepted (ratcheting). Server-side apply also leaves stale items: an item that is removed from a manifest, or " +
			"whose key changes, stays without an owner.",
		Fix: fixTwins,
		Old: "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}}",
		New: "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: map, " +
			"x-kubernetes-list-map-keys: [k]}",
		Object: "{spec: {f: [{k: a}, {k: a}]}}"},
	{ID: "904", Change: "list set -> map or map -> set", Verdict: Breaking, Effects: duplicates, Hits: hitsTypes,
		What: "The type of a list changes from set to map, or from map to set.",
		Who: "Objects with different items that have the same key: they cannot be recreated, and server-side apply of them fails. The " +
			"recorded owners of items no longer match, so stale items stay in the list.",
		Fix: fixTwins,
		Old: "{type: array, items: {type: object, x-kubernetes-map-type: atomic, properties: {k: {type: string}, p: {type: " +
			"string}}, required: [k]}, x-kubernetes-list-type: set}",
		New: "{type: array, items: {type: object, x-kubernetes-map-type: atomic, properties: {k: {type: string}, p: {type: " +
			"string}}, required: [k]}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}",
		Object: "{spec: {f: [{k: a, p: x}, {k: a, p: z}]}}"},
	{ID: "905", Change: "map list: keys widened", Verdict: Review, Effects: loosened, Hits: Hits{SSAWriters: true, Rollback: true},
		What: "A list of type map has an additional key.",
		Who: "Managers that use server-side apply: if the new key of an item changes in a manifest, the item is added, and the old " +
			"item stays without an owner. After a rollback, items that are equal in the remaining keys are invalid.",
		Fix: "After the upgrade, compare each stored list with its manifest, and delete stale items manually.",
		Old: "{type: array, items: {type: object, properties: {k: {type: string}, p: {type: string}}, required: [k, p]}, " +
			"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}",
		New: "{type: array, items: {type: object, properties: {k: {type: string}, p: {type: string}}, required: [k, p]}, " +
			"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, p]}",
		Object: "{spec: {f: [{k: a, p: x}]}}", After: "{spec: {f: [{k: a, p: x}, {k: a, p: z}]}}"},
	{ID: "906", Change: "map list: keys narrowed", Verdict: Breaking, Effects: duplicates, Hits: hitsTypes,
		What: "A list of type map has fewer keys.",
		Who: "Objects with items that are equal in the remaining keys: they cannot be recreated, and server-side apply of them fails " +
			"with \"duplicate entries for key\". Other updates are accepted (ratcheting).",
		Fix: "Remove or merge items that are equal in the remaining keys in all stored objects and manifests first.",
		Old: "{type: array, items: {type: object, properties: {k: {type: string}, p: {type: string}}, required: [k, p]}, " +
			"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, p]}",
		New: "{type: array, items: {type: object, properties: {k: {type: string}, p: {type: string}}, required: [k, p]}, " +
			"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}",
		Object: "{spec: {f: [{k: a, p: x}, {k: a, p: z}]}}"},
	{ID: "907", Change: "map-type granular -> atomic", Verdict: Review, Effects: untouched, Hits: Hits{SSAWriters: true},
		What:   "An object or map of type granular, the default, has the type atomic.",
		Who:    whoConflict,
		Fix:    fixConflict,
		Old:    "{type: object, properties: {a: {type: string}}}",
		New:    "{type: object, properties: {a: {type: string}}, x-kubernetes-map-type: atomic}",
		Object: "{spec: {f: {a: x}}}"},
	{ID: "908", Change: "map list whose key loses required and default", Verdict: Refused, Effects: Effects{"same", "ok",
		"ok", "ok", "", "ok", ""},
		What: "A key of a list of type map is neither required nor has a default.",
		Who:  "Clients that apply the CRD: the API server rejects it.",
		Fix:  "Keep the key required, or add a default.",
		Old: "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: map, " +
			"x-kubernetes-list-map-keys: [k]}",
		New: "{type: array, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-type: map, " +
			"x-kubernetes-list-map-keys: [k]}"},
	{ID: "910", Change: "map-type atomic -> granular", Verdict: Review, Effects: untouched, Hits: Hits{SSAWriters: true},
		What: "An object or map of type atomic has the type granular.",
		Who: "Managers that use server-side apply: values are merged instead of replaced. A key that is removed from a manifest may " +
			"stay in the object without an owner.",
		Fix:    "After the upgrade, compare the stored objects with their manifests, and delete stale keys.",
		Old:    "{type: object, properties: {a: {type: string}}, x-kubernetes-map-type: atomic}",
		New:    "{type: object, properties: {a: {type: string}}}",
		Object: "{spec: {f: {a: x}}}"},
	{ID: "911", Change: "list map -> atomic", Verdict: Review, Effects: loosened, Hits: Hits{SSAWriters: true, Rollback: true},
		What: "A list of type map has the type atomic.",
		Who:  whoConflict,
		Fix:  fixConflict,
		Old: "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: map, " +
			"x-kubernetes-list-map-keys: [k]}",
		New:    "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: atomic}",
		Object: "{spec: {f: [{k: a}]}}", After: "{spec: {f: [{k: a}, {k: a}]}}"},
}
