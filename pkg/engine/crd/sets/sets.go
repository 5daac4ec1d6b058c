// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Origin is the way in which a CRD is installed.
type Origin string

const (
	// Plain CRDs are applied as they are, by kubectl, Flux, Argo CD or a script.
	Plain Origin = "manifest"
	// CRDsFolder CRDs are in the folder crds/ of a chart or of one of its subcharts. Helm installs
	// them once and never upgrades or deletes them.
	CRDsFolder Origin = "crds folder"
	// Template CRDs are rendered by a chart and belong to the release: Helm upgrades them, and deletes
	// those that a new version no longer renders.
	Template Origin = "template"
)

// Member is a CRD in a set.
type Member struct {
	// CRD must not be nil.
	CRD *apiextensionsv1.CustomResourceDefinition
	// File is the file that the CRD was read from, for messages: a path, or the path within a chart.
	File string
	// Line is the first line of the document in File, starting at 1. It is 0 if there is no such line, as in rendered templates.
	Line int
	// Origin defaults to Plain.
	Origin Origin
	// Kept is set if Helm does not delete the CRD when it is no longer rendered: it has the annotation
	// helm.sh/resource-policy: keep, or is a hook. It is used for Template only.
	Kept bool
}

// Service is a Service that a chart renders.
type Service struct {
	// Namespace is empty for the namespace of the release.
	Namespace, Name string
	// Ports are the port numbers of the Service.
	Ports []int32
}

// Set is a bundle of CRDs that are applied together: a file, a folder, a chart.
type Set struct {
	// Name identifies the set in messages: the path, or the name and version of a chart.
	Name string
	// Chart is set if Helm installs the set.
	Chart bool
	// Members are in the order in which they were read.
	Members []Member
	// Services are those that a chart renders. They are not known for other sets.
	Services []Service
}

// Validate returns an error if a CRD of the set has no name, or if two different CRDs have the same
// name. Identical duplicates, as in a chart with an aliased subchart, are allowed.
func (s Set) Validate() error {
	seen := map[string]Member{}
	for _, member := range s.Members {
		name := member.CRD.Name
		if name == "" {
			return fmt.Errorf("%s: a CustomResourceDefinition has no metadata.name", s.where(member))
		}
		first, twice := seen[name]
		if !twice {
			seen[name] = member
			continue
		}
		if compare.Digest(nil, first.CRD) != compare.Digest(nil, member.CRD) {
			return fmt.Errorf("CustomResourceDefinition %s is defined twice with different specs: in %s and in %s; remove one of them", name,
				s.where(first), s.where(member))
		}
	}
	return nil
}

func (s Set) where(member Member) string {
	file := member.File
	if file == "" {
		file = s.Name
	}
	if member.Line > 1 {
		return fmt.Sprintf("%s:%d", file, member.Line)
	}
	return file
}

// byName returns the members by the names of their CRDs. The first member with a name is used.
func (s Set) byName() map[string]Member {
	members := map[string]Member{}
	for _, member := range s.Members {
		if member.CRD == nil {
			continue
		}
		if member.Origin == "" {
			member.Origin = Plain
		}
		if _, twice := members[member.CRD.Name]; !twice {
			members[member.CRD.Name] = member
		}
	}
	return members
}

// Pair is a CRD that is in both sets.
type Pair struct {
	Old, New Member
}

// Changed reports whether the specs differ in more than the caBundle and the defaults of the API
// server. It also counts differently formatted JSON values as a change; compare.Digest does not, but is
// slower.
func (p Pair) Changed() bool {
	return !equality.Semantic.DeepEqual(manifest.ComparedSpec(p.Old.CRD), manifest.ComparedSpec(p.New.CRD))
}

// Pairs returns the CRDs that are in both sets, sorted by name.
func Pairs(old, new Set) []Pair {
	news := new.byName()
	var pairs []Pair
	for name, member := range old.byName() {
		if other, both := news[name]; both {
			pairs = append(pairs, Pair{Old: member, New: other})
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Old.CRD.Name, b.Old.CRD.Name) })
	return pairs
}

// Compare is pass 4: it returns the effects of replacing old by new. It compares each CRD that is in
// both sets, and reports the effects on those that are in only one. Of a set that does not pass
// Validate, the first CRD of each name is compared. The report has a digest if exactly one CRD changes,
// or if there is only one.
//
// Of the rules about sets, Compare finds S01, S02, S03, S05 and S07, and compare.Compare finds S10. The
// others need more than two sets, so callers with access to a cluster report them: the owner of the
// live CRD and whether it is newer (S04), the owner of its caBundle (S08), the release that was
// installed before (S06), the operator that uses the CRD (S09), and the stored versions at a rollback
// (S11).
func Compare(old, new Set, options compare.Options) rules.Report {
	return changed(old, new, options, false)
}

// Reverse is pass 6 for sets: it returns the effects of rolling back from new to old while the cluster
// contains objects that were written under new. The findings describe the change from new to old.
func Reverse(old, new Set, options compare.Options) rules.Report {
	return changed(new, old, options, true)
}

// comparison is the state of the comparison of two sets.
type comparison struct {
	from, to Set
	options  compare.Options
	// reverse is set for a rollback: from is the newer set.
	reverse  bool
	findings []rules.Finding
}

func changed(from, to Set, options compare.Options, reverse bool) rules.Report {
	c := &comparison{from: from, to: to, options: options, reverse: reverse}
	pairs := Pairs(from, to)
	alone := len(pairs) == 1 && len(from.byName()) == 1 && len(to.byName()) == 1
	var digests []string
	for _, pair := range pairs {
		var report rules.Report
		if reverse {
			report = compare.Reverse(pair.New.CRD, pair.Old.CRD, options)
		} else {
			report = compare.Compare(pair.Old.CRD, pair.New.CRD, options)
		}
		c.findings = append(c.findings, report.Findings...)
		if alone || pair.Changed() {
			digests = append(digests, report.Digest)
		}
		c.moved(pair)
		c.storage(pair)
	}
	c.gone()
	c.webhooks()
	report := rules.NewReport(c.findings...)
	if len(digests) == 1 {
		report.Digest = digests[0]
	}
	return report
}

// find adds a finding of a rule about a CRD.
func (c *comparison) find(id, crd string, format string, args ...any) *rules.Finding {
	c.findings = append(c.findings, rules.NewFinding(id, crd, format, args...))
	return &c.findings[len(c.findings)-1]
}
