// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"fmt"
	"slices"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// problem is what objects are counted by.
type problem struct {
	rule string
	path string
	kind string
}

// hit is one problem of one object.
type hit struct {
	problem
	// detail tells more, of the first object that has it.
	detail string
	// verdict where it is not that of the rule.
	verdict rules.Verdict
}

// samples is how many objects are named with a finding.
const samples = 5

// tally counts objects by their problems.
type tally struct {
	counts map[problem]*count
	// unnamed leaves objects and what they hold out of the findings.
	unnamed bool
}

type count struct {
	hit
	objects int
	samples []string
}

// add counts an object once for each problem.
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

// findings are one a problem, in the order of rules, paths and kinds.
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
		finding.Message = fmt.Sprintf("%d of the %d stored objects that were checked: %s", counted.objects, checked, counted.message(first))
		found = append(found, finding)
	}
	slices.SortFunc(found, func(a, b rules.Finding) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return found
}

// message returns what becomes of the objects; first describes one of them.
func (c *count) message(first string) string {
	at := "as a whole"
	if c.path != "" {
		at = "at " + c.path
	}
	switch c.rule {
	case "L01":
		return fmt.Sprintf("they hold a value %s that the new schema does not declare; it is gone at the next read, and for good at "+
			"the next write of anything%s.", at, first)
	case "L02":
		return fmt.Sprintf("they are not valid %s under the new schema: they cannot be made anew, and an edit of this place is rejected%s.", at,
			first)
	case "L03":
		return fmt.Sprintf("they are not valid %s, and that is not forgiven where nothing but metadata changes: every update is "+
			"rejected, and those with finalizers cannot be deleted%s.", at, first)
	case "L04":
		return fmt.Sprintf("server-side apply of the same object fails %s%s.", at, first)
	case "L05":
		return fmt.Sprintf("they read with a default %s that nobody has written%s.", at, first)
	case "L07":
		return fmt.Sprintf("several managers apply %s, where what each of them owns changes%s.", at, first)
	}
	return fmt.Sprintf("a null %s reads otherwise than before%s.", at, first)
}

// newFinding begins a finding of a rule of this pass.
func newFinding(id, crd, version string) rules.Finding {
	rule, err := rules.ByCode("CRD-" + id)
	if err != nil {
		panic(err)
	}
	finding := rule.Finding()
	finding.CRD, finding.Version, finding.Evidence = crd, version, rules.Live
	return finding
}
