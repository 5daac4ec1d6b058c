// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"fmt"
	"slices"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// problem is the key by which objects are counted.
type problem struct {
	rule string
	path string
	kind string
}

// hit is one problem of one object.
type hit struct {
	problem
	// detail describes the problem of the first object that has it.
	detail string
	// verdict is set if it differs from that of the rule.
	verdict rules.Verdict
}

// samples is the number of objects that a finding names.
const samples = 5

// tally counts objects by their problems.
type tally struct {
	counts map[problem]*count
	// unnamed omits names and contents of objects from the findings.
	unnamed bool
}

type count struct {
	hit
	objects int
	samples []string
}

// add counts an object once for each of its problems.
func (t *tally) add(object string, hits []hit) {
	seen := map[problem]bool{}
	for _, h := range hits {
		if seen[h.problem] {
			continue
		}
		seen[h.problem] = true
		counted := t.counts[h.problem]
		if counted == nil {
			counted = &count{hit: h}
			t.counts[h.problem] = counted
		}
		counted.objects++
		if len(counted.samples) < samples {
			counted.samples = append(counted.samples, object)
		}
	}
}

// findings returns one finding for each problem, sorted by rule, path and message.
func (t *tally) findings(crd, version string, checked int) []rules.Finding {
	found := make([]rules.Finding, 0, len(t.counts))
	for _, counted := range t.counts {
		finding := newFinding(counted.rule, crd, version)
		finding.Path = counted.path
		if counted.verdict != "" {
			finding.Verdict = counted.verdict
		}
		finding.LiveCount = counted.objects
		first := ""
		if !t.unnamed {
			finding.SampleObjects = counted.samples
			first = fmt.Sprintf(" (%s: %s)", counted.samples[0], counted.detail)
		}
		finding.Message = fmt.Sprintf("%d of %d checked objects: %s", counted.objects, checked, counted.message(first))
		found = append(found, finding)
	}
	slices.SortFunc(found, func(a, b rules.Finding) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return found
}

// message describes the problem; first describes one of the objects.
func (c *count) message(first string) string {
	at := "at the root"
	if c.path != "" {
		at = "at " + c.path
	}
	switch c.rule {
	case "L01":
		return fmt.Sprintf("they have a value %s that the new schema does not declare; it is pruned at the next read and lost permanently "+
			"at the next write%s.", at, first)
	case "L02":
		return fmt.Sprintf("they are invalid %s under the new schema: they cannot be recreated, and edits of this value are rejected%s.", at,
			first)
	case "L03":
		return fmt.Sprintf("they are invalid %s, and validation fails even if only metadata changes: every update is rejected, and "+
			"objects with finalizers cannot be deleted%s.", at, first)
	case "L04":
		return fmt.Sprintf("server-side apply of the same object fails %s%s.", at, first)
	case "L05":
		return fmt.Sprintf("they get a default %s that no client has set%s.", at, first)
	case "L07":
		return fmt.Sprintf("several managers apply %s, and the fields that each of them owns change%s.", at, first)
	}
	return fmt.Sprintf("a null %s is read differently than before%s.", at, first)
}

// newFinding returns a finding of a rule of this pass.
func newFinding(id, crd, version string) rules.Finding {
	rule, err := rules.ByCode("CRD-" + id)
	if err != nil {
		panic(err)
	}
	finding := rule.Finding()
	finding.CRD, finding.Version, finding.Evidence = crd, version, rules.Live
	return finding
}
