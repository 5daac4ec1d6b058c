// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// gone reports the CRDs that the new set does not contain.
func (c *comparison) gone() {
	olds, news := c.from.byName(), c.to.byName()
	for name, member := range olds {
		if _, stays := news[name]; stays {
			continue
		}
		c.left(member)
		if renamed, ok := sameKindElsewhere(member, news, olds); ok {
			c.renamed(member, renamed)
		}
	}
}

// left reports a CRD that the new set does not contain at all.
func (c *comparison) left(member Member) {
	name := member.CRD.Name
	switch {
	case member.Origin == Template && !member.Kept:
		finding := c.find("S01", name,
			"%s is no longer rendered, so the upgrade deletes it, and Kubernetes then deletes every object of its kind.", name)
		if c.reverse {
			finding.Message = name + " was added in the new version, so a rollback deletes it, and Kubernetes then deletes every object of its kind."
		}
		finding.Old = string(member.Origin)
		finding.Hits = rules.Hits{Stored: true, Writers: true, SSAWriters: true, Readers: true, Rollback: true}
		finding.FixHint = "Set the annotation helm.sh/resource-policy: keep on the CRD and install that version before the CRD is " +
			"removed. " +
			"In a cluster: kubectl annotate crd " + name + " helm.sh/resource-policy=keep before the upgrade."
	case c.reverse:
		// The CRD stays in the cluster with its objects, and older versions do not use it: nothing to report.
	case member.Origin == Template:
		finding := c.find("S02", name, "%s is no longer rendered; because of helm.sh/resource-policy: keep, Helm does not delete it. It "+
			"stays in the cluster with its objects and is no longer upgraded.", name)
		finding.Change = "CRD with helm.sh/resource-policy: keep removed from the templates"
		finding.Old, finding.Hits = string(member.Origin), leftBehind
		finding.FixHint = orphanHint(name)
	case member.Origin == CRDsFolder:
		finding := c.find("S02", name, "%s is no longer in the chart's crds folder. Helm never deletes CRDs from that folder: it "+
			"stays in the cluster with its objects, its API is still served, and it is no longer upgraded.", name)
		finding.Old, finding.Hits = string(member.Origin), leftBehind
		finding.FixHint = orphanHint(name)
	default:
		finding := c.find("S02", name, "%s is not in the new set. kubectl apply leaves it in the cluster with its objects; tools that "+
			"prune (kubectl apply --prune, Flux, Argo CD) delete it, and Kubernetes then deletes every object of its kind.", name)
		finding.Change, finding.Old, finding.Hits = "CRD removed from the set", string(member.Origin), leftBehind
		finding.FixHint = "Before a pruning tool applies this, disable pruning for the CRD (Flux: " +
			"kustomize.toolkit.fluxcd.io/prune: disabled; " +
			"Argo CD: argocd.argoproj.io/sync-options: Prune=false), or make sure that no objects exist: kubectl get " + name + " -A."
	}
}

// leftBehind is the impact of a CRD that is still served but no longer maintained.
var leftBehind = rules.Hits{Readers: true}

func orphanHint(name string) string {
	return "If the CRD is not needed, check the remaining objects (kubectl get " + name +
		" -A) and delete it manually; otherwise, keep it in the chart."
}

// sameKindElsewhere returns the new CRD with the same kind and plural in another group.
func sameKindElsewhere(member Member, news, olds map[string]Member) (Member, bool) {
	var found []Member
	for name, other := range news {
		if _, old := olds[name]; old {
			continue
		}
		a, b := member.CRD.Spec, other.CRD.Spec
		if a.Group != b.Group && a.Names.Kind == b.Names.Kind && a.Names.Plural == b.Names.Plural {
			found = append(found, other)
		}
	}
	if len(found) == 0 {
		return Member{}, false
	}
	slices.SortFunc(found, func(a, b Member) int { return strings.Compare(a.CRD.Name, b.CRD.Name) })
	return found[0], true
}

func (c *comparison) renamed(old, new Member) {
	finding := c.find("S03", old.CRD.Name, "%s is removed and %s is added: this looks like a rename of the group. To Kubernetes they are "+
		"unrelated kinds: objects are not migrated, and clients, RBAC rules and manifests for the old group stop working.",
		old.CRD.Name, new.CRD.Name)
	finding.Path, finding.Old, finding.New = "spec.group", old.CRD.Spec.Group, new.CRD.Spec.Group
	finding.Hits = rules.Hits{Stored: true, Writers: true, SSAWriters: true, Readers: true, Rollback: true}
	finding.FixHint = "Ship both CRDs for some releases, copy the objects from the old group to the new one, migrate clients and " +
		"RBAC rules, and only then remove the old CRD."
}

// moved reports what Helm does with a CRD that moves within a chart.
func (c *comparison) moved(pair Pair) {
	name, from, to := pair.Old.CRD.Name, pair.Old, pair.New
	switch {
	case from.Origin == Template && to.Origin == CRDsFolder && !from.Kept:
		finding := c.find("S01", name, "%s moves from the templates to the crds folder. It is no longer rendered, so the upgrade "+
			"deletes it with every object of its kind; an upgrade installs nothing from crds/, so the CRD is not recreated.", name)
		finding.Change = "CRD moves from the templates to the crds folder"
		finding.Old, finding.New = string(from.Origin), string(to.Origin)
		finding.Hits = rules.Hits{Stored: true, Writers: true, SSAWriters: true, Readers: true, Rollback: true}
		finding.FixHint = "Set the annotation helm.sh/resource-policy: keep on the CRD, and install that version before the " +
			"one that moves it."
	case from.Origin == Template && to.Origin == CRDsFolder:
		finding := c.find("S02", name, "%s moves from the templates to the crds folder. Because of helm.sh/resource-policy: keep, Helm "+
			"leaves it in the cluster, but upgrades no longer change it, so the old schema stays.", name)
		finding.Change = "CRD moves from the templates to the crds folder"
		finding.Old, finding.New, finding.Hits = string(from.Origin), string(to.Origin), leftBehind
		finding.FixHint = "Apply the CRD manually with each version: kubectl apply --server-side -f <chart>/crds."
	case from.Origin == CRDsFolder && to.Origin == Template:
		finding := c.find("S02", name, "%s moves from the crds folder to the templates. The live CRD does not belong to the release, "+
			"so Helm fails the upgrade (\"invalid ownership metadata\") until the release owns it%s", name, afterMove(to))
		finding.Change = "CRD moves from the crds folder to the templates"
		finding.Old, finding.New, finding.Hits = string(from.Origin), string(to.Origin), rules.Hits{Writers: true, Rollback: !to.Kept}
		finding.FixHint = "Upgrade with --take-ownership, or label and annotate the live CRD first: kubectl label crd " + name +
			" app.kubernetes.io/managed-by=Helm; kubectl annotate crd " + name +
			" meta.helm.sh/release-name=<release> meta.helm.sh/release-namespace=<namespace>."
	case from.Origin == Template && to.Origin == Template && from.Kept && !to.Kept:
		finding := c.find("S01", name, "%s loses helm.sh/resource-policy: keep. This has no immediate effect, but an uninstall, or a "+
			"version without the CRD, deletes it with every object of its kind.", name)
		finding.Verdict, finding.Change = rules.Review, "CRD in the templates loses helm.sh/resource-policy: keep"
		finding.Path, finding.Old, finding.Hits = "metadata.annotations", "keep", rules.Hits{Stored: true}
		finding.FixHint = "Keep the annotation on the CRD."
	}
}

func afterMove(to Member) string {
	if to.Kept {
		return "."
	}
	return ". After that, an uninstall, or a version without the CRD, deletes it with every object of its kind."
}
