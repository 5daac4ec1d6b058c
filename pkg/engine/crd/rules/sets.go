// SPDX-License-Identifier: Apache-2.0

package rules

// setRules are about the definitions of two bundles or charts, and of a cluster.
var setRules = []Rule{
	{ID: "S01", Change: "CRD leaves a bundle whose templates render it without resource-policy: keep", Verdict: Destructive,
		Hits: hitsAll, Scope: InCluster,
		Who: "Everybody who has objects of the kind: Helm deletes the definition with the upgrade, and with it every object in the " +
			"cluster. A rollback to a release without it does the same.",
		Fix: "Annotate the live definition with helm.sh/resource-policy: keep, and see that it is there, before the upgrade. Then let " +
			"another chart, or a GitOps tool that does not prune it, take it over."},
	{ID: "S02", Change: "CRD leaves a chart's crds folder", Verdict: Review, Hits: Hits{Readers: true}, Scope: InCluster,
		Who: "Helm never deletes what came from crds/: the definition stays and is served, but no operator looks after its objects " +
			"any more, and no release updates it.",
		Fix: "Delete the objects and then the definition by hand when nobody needs them, or move it to the chart of the operator that " +
			"takes over."},
	{ID: "S03", Change: "group renamed (CRD removed, another added)", Verdict: Destructive, Hits: hitsAll, Scope: InCluster,
		Who: "Objects of the old group: another group is another definition, and nothing moves the objects. Where the old one is " +
			"deleted, they are deleted, too.",
		Fix: "Keep both definitions for some releases, copy every object to the new group, let the operator serve both, and remove " +
			"the old one when it is empty."},
	{ID: "S04", Change: "CRD is owned by another, or the live one is newer", Verdict: Refused, Hits: hitsAll, Scope: InCluster,
		Who: "The other operator, Helm release or field manager that brought the definition, and everybody who uses fields that only " +
			"the live one has: an older one prunes them.",
		Fix: "Let one owner bring the definition, in the newest version that any of them needs, and switch it off in the other charts."},
	{ID: "S05", Change: "set of storage versions changes", Verdict: Review, Hits: Hits{Stored: true, Rollback: true}, Scope: InCluster,
		Who: "Objects that are stored in the former version: they stay so until somebody writes them, and the version cannot be removed as long.",
		Fix: "Add a step \"storage migration\" to the upgrade: write every object anew, count, rewrite managedFields, then trim " +
			"status.storedVersions."},
	{ID: "S06", Change: "a release that carries a migration is skipped", Verdict: Refused, Hits: Hits{Stored: true}, Scope: InCluster,
		Who: "Objects that the skipped release would have migrated: the target release no longer reads their form, or its definition is refused.",
		Fix: "Upgrade through the releases that are named, one after the other, and wait for the migration of each."},
	{ID: "S07", Change: "conversion webhook is not up before its CRD", Verdict: Refused, Hits: hitsAll, Scope: InCluster,
		Who: "All who read or write a version that is not the stored one: as soon as the definition names the webhook, their requests " +
			"fail, and so do those of the operator that should bring it up.",
		Fix: "Install the webhook's Deployment, Service and certificate first, probe it with a real ConversionReview, and apply the " +
			"definition then."},
	{ID: "S08", Change: "conversion removed while another manager owns caBundle", Verdict: Refused, Hits: Hits{Writers: true,
		SSAWriters: true}, Scope: InCluster,
		Who: "Whoever applies the definition by server-side apply: the caBundle of the other manager stays, and the rest of the " +
			"stanza without a strategy is invalid.",
		Fix: "Write strategy: None explicitly, and remove the other manager's field together with it (stop the CA injector by " +
			"removing its annotation first)."},
	{ID: "S09", Change: "new operator with the old CRD", Verdict: Refused, Hits: hitsAll, Scope: InCluster,
		Who: "Objects of an operator that was upgraded without its definitions, as Helm leaves those in crds/ alone: fields that it " +
			"writes or relies on are pruned silently, limits among them, and its server-side applies fail.",
		Fix: "Apply the definitions of the new chart before the operator, and compare them with the live ones instead of trusting the " +
			"chart's version."},
	{ID: "S10", Change: "Kubernetes of the target is older than a feature that is used", Verdict: Review, Hits: Hits{Writers: true,
		Readers: true}, Scope: InCluster,
		Who: "The older clusters: they ignore what they do not know (formats, selectableFields, optionalOldSelf) or know no " +
			"ratcheting, so that the same definition checks less, or rejects more.",
		Fix: "Upgrade the cluster first, or leave the feature out until the oldest one knows it."},
	{ID: "S11", Change: "CRD of a rollback is older than the live one", Verdict: Refused, Hits: hitsAll, Scope: InCluster,
		Who: "Objects written since the upgrade: the older definition prunes or refuses what it does not know, and may lack a version " +
			"that they are stored in.",
		Fix: "Leave the newer definition in place and roll back the operator only. Put the older one back only if the way back is " +
			"safe, no object uses anything new, and storedVersions fits."},
}
