// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// gone tells what becomes of definitions that are left out.
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

// left is about a definition that the new set does not have at all.
func (c *comparison) left(member Member) {
	name := member.CRD.Name
	switch {
	case member.Origin == Template && !member.Kept:
		finding := c.find("S01", name,
			"%s is rendered no more, so the upgrade deletes it, and Kubernetes then deletes every object of its kind.", name)
		if c.reverse {
			finding.Message = name + " came with the new version, so a rollback deletes it, and Kubernetes then deletes every object of its kind."
		}
		finding.Old = string(member.Origin)
		finding.Hits = rules.Hits{Stored: true, Writers: true, SSAWriters: true, Readers: true, Rollback: true}
		finding.FixHint = "Put the annotation helm.sh/resource-policy: keep on the definition, and install that version first; then " +
			"leave it out. " +
			"In a cluster: kubectl annotate crd " + name + " helm.sh/resource-policy=keep before the upgrade."
	case c.reverse:
		// It stays behind, with its objects, and no older version knows of it: nothing to do.
	case member.Origin == Template:
		finding := c.find("S02", name, "%s is rendered no more; helm.sh/resource-policy: keep makes Helm leave it. It stays with its "+
			"objects, and nothing upgrades it.", name)
		finding.Change, finding.Old, finding.Hits = "CRD that Helm keeps leaves the templates", string(member.Origin), leftBehind
		finding.FixHint = orphanHint(name)
	case member.Origin == CRDsFolder:
		finding := c.find("S02", name, "%s is no more in the chart's crds folder. Helm never deletes what it installed from there: it "+
			"stays with its objects, its API is still served, and nothing upgrades it.", name)
		finding.Old, finding.Hits = string(member.Origin), leftBehind
		finding.FixHint = orphanHint(name)
	default:
		finding := c.find("S02", name, "%s is not in the new set. kubectl apply leaves it in the cluster with its objects; whatever "+
			"prunes (kubectl apply --prune, Flux, Argo CD) deletes it, and Kubernetes then deletes every object of its kind.", name)
		finding.Change, finding.Old, finding.Hits = "CRD leaves the set", string(member.Origin), leftBehind
		finding.FixHint = "Before a pruning tool applies this, switch pruning off for the definition (Flux: " +
			"kustomize.toolkit.fluxcd.io/prune: disabled; " +
			"Argo CD: argocd.argoproj.io/sync-options: Prune=false), or make sure that no object is left: kubectl get " + name + " -A."
	}
}

// leftBehind is who sees an API that is still served and cared for by nobody.
var leftBehind = rules.Hits{Readers: true}

func orphanHint(name string) string {
	return "If nobody needs it, look at what is left (kubectl get " + name +
		" -A) and delete it by hand; if somebody does, leave it in the chart."
}

// sameKindElsewhere finds the definition that looks like the same thing under another group.
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
	finding := c.find("S03", old.CRD.Name, "%s goes and %s comes: this looks like a rename of the group. To Kubernetes they are "+
		"two kinds that have nothing in common: no object is carried over, and clients, RBAC rules and manifests of the old group find nothing.",
		old.CRD.Name, new.CRD.Name)
	finding.Path, finding.Old, finding.New = "spec.group", old.CRD.Spec.Group, new.CRD.Spec.Group
	finding.Hits = rules.Hits{Stored: true, Writers: true, SSAWriters: true, Readers: true, Rollback: true}
	finding.FixHint = "Ship both definitions for a while, copy the objects from the old group to the new one, move clients and " +
		"RBAC rules, and only then leave the old one out."
}

// moved tells what Helm does with a definition that changes places within a chart.
func (c *comparison) moved(pair Pair) {
	name, from, to := pair.Old.CRD.Name, pair.Old, pair.New
	switch {
	case from.Origin == Template && to.Origin == CRDsFolder && !from.Kept:
		finding := c.find("S01", name, "%s moves from the templates to the crds folder. It is rendered no more, so the upgrade "+
			"deletes it with every object of its kind; and an upgrade installs nothing from crds/, so it does not come back.", name)
		finding.Change = "CRD moves from the templates to the crds folder"
		finding.Old, finding.New = string(from.Origin), string(to.Origin)
		finding.Hits = rules.Hits{Stored: true, Writers: true, SSAWriters: true, Readers: true, Rollback: true}
		finding.FixHint = "Put the annotation helm.sh/resource-policy: keep on the definition, and install that version before the " +
			"one that moves it."
	case from.Origin == Template && to.Origin == CRDsFolder:
		finding := c.find("S02", name, "%s moves from the templates to the crds folder. helm.sh/resource-policy: keep makes Helm "+
			"leave it in the cluster; from now on an upgrade does not touch it, so the old schema stays.", name)
		finding.Change = "CRD moves from the templates to the crds folder"
		finding.Old, finding.New, finding.Hits = string(from.Origin), string(to.Origin), leftBehind
		finding.FixHint = "Apply the definition by hand with each version: kubectl apply --server-side -f <chart>/crds."
	case from.Origin == CRDsFolder && to.Origin == Template:
		finding := c.find("S02", name, "%s moves from the crds folder to the templates. The live one does not belong to the release, "+
			"so Helm refuses the upgrade (\"invalid ownership metadata\") until it is handed over%s", name, afterMove(to))
		finding.Change = "CRD moves from the crds folder to the templates"
		finding.Old, finding.New, finding.Hits = string(from.Origin), string(to.Origin), rules.Hits{Writers: true, Rollback: !to.Kept}
		finding.FixHint = "Upgrade with --take-ownership, or label and annotate the live definition first: kubectl label crd " + name +
			" app.kubernetes.io/managed-by=Helm; kubectl annotate crd " + name +
			" meta.helm.sh/release-name=<release> meta.helm.sh/release-namespace=<namespace>."
	case from.Origin == Template && to.Origin == Template && from.Kept && !to.Kept:
		finding := c.find("S01", name, "%s loses helm.sh/resource-policy: keep. Nothing happens now, but an uninstall, or a version "+
			"that leaves it out, deletes it with every object of its kind.", name)
		finding.Verdict, finding.Change = rules.Review, "CRD in the templates loses helm.sh/resource-policy: keep"
		finding.Path, finding.Old, finding.Hits = "metadata.annotations", "keep", rules.Hits{Stored: true}
		finding.FixHint = "Leave the annotation on the definition."
	}
}

func afterMove(to Member) string {
	if to.Kept {
		return "."
	}
	return ". From then on an uninstall, or a version that leaves it out, deletes it with every object of its kind."
}
