// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Codes of findings about the CRDSchemas that a CRD is compared with. They turn the change into a breaking one,
// because the comparison is incomplete.
const (
	// CodeBaselineLost is the code for a lower version whose accepted CRDSchema is missing or not trusted.
	CodeBaselineLost = "BaselineLost"
	// CodeBaselineChosen is the code for a spec.againstRef that differs from what the version follows.
	CodeBaselineChosen = "BaselineChosen"
)

// Side is a stored CRDSchema with its decoded CRD.
type Side struct {
	Evidence
	CRD *apiextensionsv1.CustomResourceDefinition
}

// NewSide decodes the CRD of a CRDSchema. It returns nil for nil.
func NewSide(found *Evidence) (*Side, error) {
	if found == nil {
		return nil, nil
	}
	decoded, err := found.Decode()
	if err != nil {
		return nil, err
	}
	return &Side{Evidence: *found, CRD: decoded}, nil
}

// Comparison is a new CRD and everything that it is compared with.
type Comparison struct {
	New *apiextensionsv1.CustomResourceDefinition
	// Baseline is the CRDSchema that the new CRD follows; nil if none is known.
	Baseline *Side
	// Chosen is the CRDSchema in spec.againstRef if it is not the baseline; nil otherwise.
	Chosen *Side
	// Lost is Baseline.Lost.
	Lost []LostEvidence
}

// Against returns the CRDSchema for status.against: the baseline, otherwise the chosen one; nil if there is none.
func (c Comparison) Against() *Side {
	if c.Baseline != nil {
		return c.Baseline
	}
	return c.Chosen
}

// Empty reports whether there is nothing to compare.
func (c Comparison) Empty() bool { return c.Against() == nil && len(c.Lost) == 0 }

// Report returns the findings of all comparisons. Its digest is that of the change from Against, or of the
// new CRD alone.
func (c Comparison) Report() rules.Report {
	var findings []rules.Finding
	for _, side := range []*Side{c.Baseline, c.Chosen} {
		if side != nil {
			findings = append(findings, compare.Compare(side.CRD, c.New, compare.Options{SkipDigest: true}).Findings...)
		}
	}
	for _, lost := range c.Lost {
		findings = append(findings, c.finding(CodeBaselineLost, fmt.Sprintf("the CRD of OperatorVersion %s is unknown: CRDSchema %s "+
			"does not exist, was not compared yet, or was not created by the controller", lost.OperatorVersion, lost.CRDSchema),
			fmt.Sprintf("Wait until the controller has created CRDSchema %s again, or get the change approved.", lost.CRDSchema)))
	}
	if c.Chosen != nil {
		follows := "no lower version contains the CRD"
		if c.Baseline != nil {
			follows = "the version follows CRDSchema " + c.Baseline.Name
		}
		findings = append(findings, c.finding(CodeBaselineChosen,
			fmt.Sprintf("spec.againstRef names CRDSchema %s, but %s", c.Chosen.Name, follows),
			"Remove spec.againstRef, or get the change approved."))
	}
	report := rules.NewReport(findings...)
	var old *apiextensionsv1.CustomResourceDefinition
	if against := c.Against(); against != nil {
		old = against.CRD
	}
	report.Digest = compare.Digest(old, c.New)
	return report
}

func (c Comparison) finding(code, message, hint string) rules.Finding {
	return rules.Finding{CRD: c.New.Name, Code: code, Verdict: rules.Breaking, Message: message, FixHint: hint,
		Evidence: rules.Static}
}

// Describe returns a clause about the comparison and its verdict, for conditions.
func (c Comparison) Describe(report rules.Report) string {
	text := "there is no CRDSchema to compare with"
	if against := c.Against(); against != nil {
		text = fmt.Sprintf("the change from CRDSchema %s is %s", against.Name, report.Verdict.Describe())
	}
	if len(c.Lost) > 0 {
		versions := make([]string, 0, len(c.Lost))
		for _, lost := range c.Lost {
			versions = append(versions, lost.OperatorVersion)
		}
		text += fmt.Sprintf(", and the accepted CRDSchema of OperatorVersion %s is missing or not trusted", strings.Join(versions, ", "))
	}
	if c.Chosen != nil {
		text += fmt.Sprintf(", and spec.againstRef names CRDSchema %s, which the version does not follow", c.Chosen.Name)
	}
	return text
}
