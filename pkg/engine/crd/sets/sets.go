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

// Origin says how a definition comes into a cluster.
type Origin string

const (
	// Plain definitions are applied as they are, by kubectl, Flux, Argo CD or a script.
	Plain Origin = "manifest"
	// CRDsFolder is the folder crds/ of a chart or of one of its subcharts. Helm installs what is in it once; it neither
	// upgrades nor deletes it.
	CRDsFolder Origin = "crds folder"
	// Template definitions are rendered by a chart. They belong to the release: Helm upgrades them, and deletes those that
	// a new version renders no more.
	Template Origin = "template"
)

// Member is a definition in a set.
type Member struct {
	// CRD must not be nil.
	CRD *apiextensionsv1.CustomResourceDefinition
	// File is where it was read, for a person: a path, or the path within a chart.
	File string
	// Line is the first line of its document in File, from 1; 0 where there is no such line, as in what a template renders.
	Line int
	// Origin is Plain where empty.
	Origin Origin
	// Kept tells that Helm leaves the definition when it goes: it carries helm.sh/resource-policy: keep, or is a hook. It
	// matters for Template only.
	Kept bool
}

// Service is one that a chart brings along.
type Service struct {
	// Namespace is empty for that of the release.
	Namespace, Name string
	// Ports are the port numbers that it listens on.
	Ports []int32
}

// Set is a bundle of definitions that are applied together: a file, a folder, a chart.
type Set struct {
	// Name is what a person calls it: the path, or the name of a chart and its version.
	Name string
	// Chart tells that Helm installs it.
	Chart bool
	// Members in the order in which they were read.
	Members []Member
	// Services that a chart renders; those of other sets are not known.
	Services []Service
}

// Validate tells what makes a set unusable: a definition without a name, or two that differ and have one name. The same
// definition twice, as a chart with an aliased subchart has it, is fine.
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
			return fmt.Errorf("CustomResourceDefinition %s is there twice and differs: in %s and in %s; leave one of them", name,
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

// byName gives the members by the names of their definitions; the first of a name counts.
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

// Pair is a definition that two sets have.
type Pair struct {
	Old, New Member
}

// Changed reports whether the specs differ by more than a caBundle and the defaults of the API server. It also counts JSON in
// another format as a change; compare.Digest does not, and is slower.
func (p Pair) Changed() bool {
	return !equality.Semantic.DeepEqual(manifest.ComparedSpec(p.Old.CRD), manifest.ComparedSpec(p.New.CRD))
}

// Pairs are the definitions that both sets have, by name.
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

// Compare is pass 4: what happens when new takes the place of old. It compares each definition that both have, and
// tells what becomes of those that only one has. A set that does not pass Validate is compared by the first definition of
// each name. The report has a digest where just one definition changes, and where there is only one.
//
// Of the rules of sets it finds S01, S02, S03, S05 and S07, and compare.Compare finds S10. The others need more than two sets: who
// owns the live definition, and whether it is newer (S04), who owns its caBundle (S08), which release was installed before
// (S06) and which operator runs beside which definition (S09), and what is stored when a rollback is asked for (S11). They
// belong to those who see a cluster.
func Compare(old, new Set, options compare.Options) rules.Report {
	return changed(old, new, options, false)
}

// Reverse is pass 6 for sets: what happens when new is taken back, with objects in the cluster that were written under
// it. Its findings are those of the way from new to old.
func Reverse(old, new Set, options compare.Options) rules.Report {
	return changed(new, old, options, true)
}

// comparison is one change of a set while it is looked at.
type comparison struct {
	from, to Set
	options  compare.Options
	// reverse tells that the change is taken back: from came after to.
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

// find adds a finding of a rule about a definition.
func (c *comparison) find(id, crd string, format string, args ...any) *rules.Finding {
	c.findings = append(c.findings, rules.NewFinding(id, crd, format, args...))
	return &c.findings[len(c.findings)-1]
}
