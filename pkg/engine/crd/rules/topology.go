// SPDX-License-Identifier: Apache-2.0

package rules

const (
	whoConflict = "Managers that share the list or map by server-side apply: each of them conflicts with the other from now on, " +
		"until one forces, which deletes what the other had set. Nothing is rejected outside of server-side apply."
	fixConflict = "Find out from managedFields whether several managers apply below the path. If so, let one of them own it all " +
		"before the change."
	fixTwins = "Remove duplicates from every stored list first. Afterwards look for items that no manager owns and delete them by " +
		"hand: server-side apply leaves them."
)

// topologyRules are about how lists and maps are merged and owned.
var topologyRules = []Rule{
	{ID: "901", Change: "list atomic(default) -> set", Verdict: Breaking, Effects: duplicates, Hits: hitsTypes,
		Who: "Lists with duplicates: they cannot be made anew, and server-side apply of their objects fails; other updates are " +
			"ratcheted. Server-side apply also leaves stale items: values that a manifest drops stay, owned by nobody.",
		Fix: fixTwins,
		Old: "{type: array, items: {type: string}}", New: "{type: array, items: {type: string}, x-kubernetes-list-type: set}",
		Object: "{spec: {f: [a, a]}}"},
	{ID: "902", Change: "list set -> atomic", Verdict: Review, Effects: loosened, Hits: Hits{SSAWriters: true, Rollback: true},
		Who: whoConflict, Fix: fixConflict,
		Old:    "{type: array, items: {type: string}, x-kubernetes-list-type: set}",
		New:    "{type: array, items: {type: string}, x-kubernetes-list-type: atomic}",
		Object: "{spec: {f: [a]}}", After: "{spec: {f: [a, a]}}"},
	{ID: "903", Change: "list atomic -> map", Verdict: Breaking, Effects: duplicates, Hits: hitsTypes,
		Who: "Lists with two items of the same key: they cannot be made anew, and server-side apply of their objects fails; other " +
			"updates are ratcheted. Server-side apply also leaves stale items: what a manifest drops or renames stays, owned by nobody.",
		Fix: fixTwins,
		Old: "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}}",
		New: "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: map, " +
			"x-kubernetes-list-map-keys: [k]}",
		Object: "{spec: {f: [{k: a}, {k: a}]}}"},
	{ID: "904", Change: "list set -> map or map -> set", Verdict: Breaking, Effects: duplicates, Hits: hitsTypes,
		Who: "Items that are different as a whole but have the same key: their lists cannot be made anew, and server-side apply of " +
			"their objects fails. Owners recorded by value or key no longer fit, so stale items stay.",
		Fix: fixTwins,
		Old: "{type: array, items: {type: object, x-kubernetes-map-type: atomic, properties: {k: {type: string}, p: {type: " +
			"string}}, required: [k]}, x-kubernetes-list-type: set}",
		New: "{type: array, items: {type: object, x-kubernetes-map-type: atomic, properties: {k: {type: string}, p: {type: " +
			"string}}, required: [k]}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}",
		Object: "{spec: {f: [{k: a, p: x}, {k: a, p: z}]}}"},
	{ID: "905", Change: "map list: keys widened", Verdict: Review, Effects: loosened, Hits: Hits{SSAWriters: true, Rollback: true},
		Who: "Managers that use server-side apply: an item whose new key changes in the manifest is added, and the old one stays, " +
			"owned by nobody. A rollback makes items invalid that are equal in the remaining keys.",
		Fix: "After the upgrade, compare each stored list with its manifest and delete the leftovers by hand.",
		Old: "{type: array, items: {type: object, properties: {k: {type: string}, p: {type: string}}, required: [k, p]}, " +
			"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}",
		New: "{type: array, items: {type: object, properties: {k: {type: string}, p: {type: string}}, required: [k, p]}, " +
			"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, p]}",
		Object: "{spec: {f: [{k: a, p: x}]}}", After: "{spec: {f: [{k: a, p: x}, {k: a, p: z}]}}"},
	{ID: "906", Change: "map list: keys narrowed [k,p] -> [k]", Verdict: Breaking, Effects: duplicates, Hits: hitsTypes,
		Who: "Lists with items that are equal in the remaining keys: they cannot be made anew, and server-side apply of their " +
			"objects fails with \"duplicate entries for key\"; other updates are ratcheted.",
		Fix: "Remove or merge items that are equal in the remaining keys from every stored object and manifest first.",
		Old: "{type: array, items: {type: object, properties: {k: {type: string}, p: {type: string}}, required: [k, p]}, " +
			"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, p]}",
		New: "{type: array, items: {type: object, properties: {k: {type: string}, p: {type: string}}, required: [k, p]}, " +
			"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}",
		Object: "{spec: {f: [{k: a, p: x}, {k: a, p: z}]}}"},
	{ID: "907", Change: "map-type granular -> atomic", Verdict: Review, Effects: untouched, Hits: Hits{SSAWriters: true},
		Who: whoConflict, Fix: fixConflict,
		Old:    "{type: object, properties: {a: {type: string}}}",
		New:    "{type: object, properties: {a: {type: string}}, x-kubernetes-map-type: atomic}",
		Object: "{spec: {f: {a: x}}}"},
	{ID: "908", Change: "map list whose key loses required and default", Verdict: Refused, Effects: Effects{"same", "ok",
		"ok", "ok", "", "ok", ""},
		Who: "Whoever applies the definition: the API server refuses a map list with a key that is neither required nor defaulted.",
		Fix: "Keep the key required, or give it a default.",
		Old: "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: map, " +
			"x-kubernetes-list-map-keys: [k]}",
		New: "{type: array, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-type: map, " +
			"x-kubernetes-list-map-keys: [k]}"},
	{ID: "910", Change: "map-type atomic -> granular", Verdict: Review, Effects: untouched, Hits: Hits{SSAWriters: true},
		Who: "Managers that use server-side apply: they merge from now on instead of replacing. A key that a manifest drops may stay " +
			"in the object, owned by nobody.",
		Fix:    "After the upgrade, compare the stored objects with their manifests and delete the keys that are left over.",
		Old:    "{type: object, properties: {a: {type: string}}, x-kubernetes-map-type: atomic}",
		New:    "{type: object, properties: {a: {type: string}}}",
		Object: "{spec: {f: {a: x}}}"},
	{ID: "911", Change: "list map -> atomic", Verdict: Review, Effects: loosened, Hits: Hits{SSAWriters: true, Rollback: true},
		Who: whoConflict, Fix: fixConflict,
		Old: "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: map, " +
			"x-kubernetes-list-map-keys: [k]}",
		New:    "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: atomic}",
		Object: "{spec: {f: [{k: a}]}}", After: "{spec: {f: [{k: a}, {k: a}]}}"},
}
