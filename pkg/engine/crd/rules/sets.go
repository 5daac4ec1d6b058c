// SPDX-License-Identifier: Apache-2.0

package rules

// setRules cover the CRDs of two bundles or charts, and of a cluster.
var setRules = []Rule{
	{ID: "S01", Change: "CRD removed from the templates of a chart without helm.sh/resource-policy: keep", Verdict: Destructive,
		Hits: hitsAll, Scope: InCluster,
		What: "A chart no longer renders a CRD, and the CRD does not have the annotation helm.sh/resource-policy: keep.",
		Who: "All objects of the kind: with the upgrade, Helm deletes the CRD, and with it all objects in the cluster. A rollback to " +
			"a release without the CRD has the same effect.",
		Fix: "Before the upgrade, add the annotation helm.sh/resource-policy: keep to the CRD in the cluster, and verify that it is " +
			"set. Then manage the CRD with another chart, or with a GitOps tool that does not prune it."},
	{ID: "S02", Change: "CRD removed from the crds folder of a chart", Verdict: Review, Hits: Hits{Readers: true}, Scope: InCluster,
		What: "A CRD is no longer in the crds folder of a chart. Helm never deletes CRDs that it installed from this folder.",
		Who: "All objects of the kind: the CRD stays in the cluster and is served, but no operator reconciles its objects, and no " +
			"release updates it.",
		Fix: "Delete the objects, and then the CRD, when they are no longer in use. Alternatively, move the CRD to the chart of the " +
			"operator that replaces the current one."},
	{ID: "S03", Change: "CRD replaced by one in another group", Verdict: Destructive, Hits: hitsAll, Scope: InCluster,
		What: "A CRD is removed, and a CRD with the same kind is added in another API group.",
		Who: "Objects of the old group: the CRDs are independent, and nothing migrates the objects. If the old CRD is deleted, its " +
			"objects are deleted, too.",
		Fix: "Keep both CRDs for several releases, copy all objects to the new group, let the operator support both, and delete the " +
			"old CRD when it has no objects."},
	{ID: "S04", Change: "CRD is owned by another manager, or the CRD in the cluster is newer", Verdict: Refused, Hits: hitsAll,
		Scope: InCluster,
		What:  "Another operator, Helm release or field manager owns the CRD in the cluster, or the CRD in the cluster is newer.",
		Who: "The other owner of the CRD, and clients that use fields that only the CRD in the cluster has: an older CRD prunes these " +
			"fields.",
		Fix: "Let one owner manage the CRD, in the newest version that any of them needs, and disable the CRD in the other charts."},
	{ID: "S05", Change: "set of storage versions changes", Verdict: Review, Hits: Hits{Stored: true, Rollback: true}, Scope: InCluster,
		What: "The upgrade changes the versions in which objects are stored.",
		Who: "Objects that are stored in the old version: they stay in it until they are written. Until then, the version cannot be " +
			"removed.",
		Fix: "Add a storage migration to the upgrade: rewrite all objects, verify their number, rewrite managedFields, and then " +
			"remove the old version from status.storedVersions."},
	{ID: "S06", Change: "release with a migration skipped", Verdict: Refused, Hits: Hits{Stored: true}, Scope: InCluster,
		What: "An upgrade skips a release that migrates objects.",
		Who:  "Objects that the skipped release migrates: the target release cannot read them, or the API server rejects its CRD.",
		Fix:  "Upgrade to each of the listed releases in sequence, and wait until its migration is complete."},
	{ID: "S07", Change: "conversion webhook unavailable when its CRD is applied", Verdict: Refused, Hits: hitsAll, Scope: InCluster,
		What: "A CRD refers to a conversion webhook that is not available before the CRD is applied.",
		Who: "Clients of every version other than the storage version: their requests fail as soon as the CRD is applied. The " +
			"requests of the operator that serves the webhook fail, too.",
		Fix: "Install the Deployment, the Service and the certificate of the webhook first. Verify that it responds to a " +
			"ConversionReview, and then apply the CRD."},
	{ID: "S08", Change: "conversion removed while another manager owns caBundle", Verdict: Refused, Hits: Hits{Writers: true,
		SSAWriters: true}, Scope: InCluster,
		What: "The conversion webhook is removed from a CRD, but another field manager owns its caBundle.",
		Who: "Clients that use server-side apply for the CRD: the caBundle of the other manager stays, and the API server rejects a " +
			"conversion without a strategy.",
		Fix: "Set strategy: None explicitly, and remove the field of the other manager. To stop a CA injector, remove its annotation " +
			"first."},
	{ID: "S09", Change: "operator upgraded without its CRD", Verdict: Refused, Hits: hitsAll, Scope: InCluster,
		What: "A new release of an operator runs with the CRD of an old one. For example, Helm does not upgrade CRDs in the crds " +
			"folder.",
		Who: "Objects of the operator: the API server prunes new fields that the operator writes or relies on, without an error, and " +
			"the operator's server-side apply requests fail.",
		Fix: "Apply the CRDs of the new chart before the operator. Compare them with the CRDs in the cluster; do not rely on the " +
			"version of the chart."},
	{ID: "S10", Change: "feature not supported by the target version of Kubernetes", Verdict: Review, Hits: Hits{Writers: true,
		Readers: true}, Scope: InCluster,
		What: "The CRD uses a feature that the target version of Kubernetes does not support.",
		Who: "Clusters with an older version: they ignore unknown formats, selectableFields and optionalOldSelf, or do not support " +
			"ratcheting. The same CRD validates less, or rejects more.",
		Fix: "Upgrade the cluster first, or do not use the feature until the oldest cluster supports it."},
	{ID: "S11", Change: "CRD of a rollback is older than the CRD in the cluster", Verdict: Refused, Hits: hitsAll, Scope: InCluster,
		What: "A rollback applies a CRD that is older than the CRD in the cluster.",
		Who: "Objects that were written since the upgrade: the older CRD prunes or rejects new fields and values, and may lack a " +
			"version in which objects are stored.",
		Fix: "Keep the newer CRD and roll back only the operator. Apply the older CRD only if its rollback is safe, no object uses " +
			"new fields or values, and it has all versions in status.storedVersions."},
}
