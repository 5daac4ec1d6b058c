// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// group is a set of findings that is shown together: the findings of a rule for a CRD, with the same verdict.
type group struct {
	code, change string
	verdict      rules.Verdict
	hits         rules.Hits
	fixes        []string
	entries      []*entry
	byKey        map[entryKey]*entry
}

// entryKey has the fields that findings have in common if they differ only in their version.
type entryKey struct {
	path, old, new, message string
	evidence                rules.Evidence
	live                    int
}

// entry is a finding with all versions in which it is the same.
type entry struct {
	rules.Finding
	versions []string
}

// blockOf has the findings of one CRD.
type blockOf struct {
	crd     string
	verdict rules.Verdict
	counts  map[rules.Verdict]int
	groups  []*group
}

// blocks groups findings by CRD and rule, in descending order of severity. A finding that is the same in several versions counts
// once.
func blocks(findings []rules.Finding) []*blockOf {
	var all []*blockOf
	byName := map[string]*blockOf{}
	for _, finding := range rules.NewReport(findings...).Findings {
		finding = cleaned(finding)
		block := byName[finding.CRD]
		if block == nil {
			block = &blockOf{crd: finding.CRD, verdict: finding.Verdict, counts: map[rules.Verdict]int{}}
			byName[finding.CRD] = block
			all = append(all, block)
		}
		if block.add(finding) {
			block.counts[finding.Verdict]++
		}
	}
	for _, block := range all {
		slices.SortStableFunc(block.groups, func(a, b *group) int { return -a.verdict.Compare(b.verdict) })
	}
	slices.SortStableFunc(all, func(a, b *blockOf) int {
		return cmp.Or(-a.verdict.Compare(b.verdict), cmp.Compare(a.crd, b.crd))
	})
	return all
}

func cleaned(finding rules.Finding) rules.Finding {
	for _, text := range []*string{&finding.CRD, &finding.Version, &finding.Path, &finding.Change, &finding.Old, &finding.New,
		&finding.Message, &finding.FixHint} {
		*text = clean(*text)
	}
	finding.SampleObjects = slices.Clone(finding.SampleObjects)
	for i := range finding.SampleObjects {
		finding.SampleObjects[i] = clean(finding.SampleObjects[i])
	}
	return finding
}

// add adds a finding. It reports whether the finding is new, and not a further version of an existing one.
func (b *blockOf) add(finding rules.Finding) bool {
	var found *group
	for _, one := range b.groups {
		if one.code == finding.Code && one.verdict == finding.Verdict && one.change == finding.Change {
			found = one
		}
	}
	if found == nil {
		found = &group{code: finding.Code, change: finding.Change, verdict: finding.Verdict, byKey: map[entryKey]*entry{}}
		b.groups = append(b.groups, found)
	}
	found.hits = either(found.hits, finding.Hits)
	if finding.FixHint != "" && !slices.Contains(found.fixes, finding.FixHint) {
		found.fixes = append(found.fixes, finding.FixHint)
	}
	key := entryKey{path: finding.Path, old: finding.Old, new: finding.New, message: neutral(finding),
		evidence: finding.Evidence, live: finding.LiveCount}
	if known := found.byKey[key]; known != nil && finding.Version != "" {
		known.versions = append(known.versions, finding.Version)
		return false
	}
	one := &entry{Finding: finding}
	if finding.Version != "" {
		one.versions = []string{finding.Version}
	}
	found.entries = append(found.entries, one)
	found.byKey[key] = one
	return true
}

// neutral returns the message without the name of the version.
func neutral(finding rules.Finding) string {
	if finding.Version == "" {
		return finding.Message
	}
	return strings.ReplaceAll(finding.Message, finding.Version, "*")
}

func either(a, b rules.Hits) rules.Hits {
	return rules.Hits{
		Stored: a.Stored || b.Stored, Writers: a.Writers || b.Writers, SSAWriters: a.SSAWriters || b.SSAWriters,
		Readers: a.Readers || b.Readers, Rollback: a.Rollback || b.Rollback,
	}
}

// whom returns a list of who is affected.
func whom(hits rules.Hits) string {
	var names []string
	for _, one := range []struct {
		hit  bool
		name string
	}{
		{hits.Stored, "stored objects"}, {hits.Writers, "writers"}, {hits.SSAWriters, "server-side apply"},
		{hits.Readers, "readers"}, {hits.Rollback, "rollbacks"},
	} {
		if one.hit {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, ", ")
}

// tally returns the numbers of findings in words, in descending order of severity.
func tally(counts map[rules.Verdict]int) string {
	var parts []string
	for _, one := range []struct {
		verdict rules.Verdict
		words   string
	}{
		{rules.Refused, "refused"}, {rules.Destructive, "destructive"}, {rules.Breaking, "breaking"},
		{rules.Review, "to be reviewed"}, {rules.Safe, "safe"},
	} {
		if n := counts[one.verdict]; n > 0 {
			parts = append(parts, strings.ReplaceAll(fmt.Sprintf("%d %s", n, one.words), " ", together))
		}
	}
	return strings.Join(parts, ", ")
}
