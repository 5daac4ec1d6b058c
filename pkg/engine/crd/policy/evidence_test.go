// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

const (
	controller = "system:serviceaccount:roadstead-system:roadstead-controller"
	crd        = "widgets.example.com"
)

func TestStanding(t *testing.T) {
	chart := Version{Name: "op-1.0.0", Accepted: []string{crd}}
	with := func(change func(*Version)) Version {
		changed := chart
		change(&changed)
		return changed
	}
	manual := with(func(v *Version) { v.Manual = true })
	deleting := with(func(v *Version) { v.Deleting = true })
	never := with(func(v *Version) { v.Accepted = []string{"others.example.com"} })
	evidence := func(version, creator, approval string) *Evidence {
		return &Evidence{OperatorVersion: version, CreatedBy: creator, Approval: approval}
	}
	for name, tc := range map[string]struct {
		version Version
		found   *Evidence
		want    Standing
	}{
		"accepted, from the chart":         {chart, evidence("op-1.0.0", controller, "NotRequired"), Trusted},
		"approved, from the chart":         {chart, evidence("op-1.0.0", controller, "Approved"), Trusted},
		"of a user, in a chart's version":  {chart, evidence("op-1.0.0", "ann", "NotRequired"), Lost},
		"of a user, in a manual version":   {manual, evidence("op-1.0.0", "ann", "NotRequired"), Trusted},
		"of no version":                    {manual, evidence("", "ann", "NotRequired"), Lost},
		"of another version":               {chart, evidence("op-0.9.0", controller, "NotRequired"), Lost},
		"pending":                          {chart, evidence("op-1.0.0", controller, "Pending"), None},
		"rejected":                         {manual, evidence("op-1.0.0", "ann", "Rejected"), None},
		"pending, but of a user":           {chart, evidence("op-1.0.0", "ann", "Pending"), Lost},
		"not judged":                       {manual, evidence("op-1.0.0", "ann", ""), Lost},
		"an unknown approval":              {manual, evidence("op-1.0.0", "ann", "Granted"), Lost},
		"missing":                          {chart, nil, Lost},
		"missing, never accepted":          {never, nil, None},
		"of a user, never accepted":        {never, evidence("op-1.0.0", "ann", "NotRequired"), None},
		"accepted just now":                {never, evidence("op-1.0.0", controller, "NotRequired"), Trusted},
		"missing, the version is deleted":  {deleting, nil, None},
		"accepted, the version is deleted": {deleting, evidence("op-1.0.0", controller, "NotRequired"), Trusted},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, tc.version.Standing(crd, tc.found, controller)) })
	}
}

// TestStanding_TrustsOnlyAcceptedEvidence checks an invariant for any CRDSchema and version.
func TestStanding_TrustsOnlyAcceptedEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
		version := Version{Name: "op-1.0.0", Manual: rapid.Bool().Draw(t, "manual"), Deleting: rapid.Bool().Draw(t, "deleting")}
		if rapid.Bool().Draw(t, "accepted") {
			version.Accepted = []string{crd}
		}
		found := &Evidence{
			OperatorVersion: draw("version", "", "op-1.0.0", "op-0.9.0"), CreatedBy: draw("creator", "", "ann", controller),
			Approval: draw("approval", "", "NotRequired", "Approved", "Pending", "Rejected"),
		}
		genuine := found.OperatorVersion == version.Name && (version.Manual || found.CreatedBy == controller)
		standing := version.Standing(crd, found, controller)
		require.Equal(t, genuine && found.Accepted(), standing == Trusted)
		if len(version.Accepted) > 0 && !version.Deleting && standing == None {
			require.True(t, genuine, "an accepted CRD is never ignored because of a foreign CRDSchema")
		}
	})
}

func TestFindBaseline(t *testing.T) {
	nameOf := func(version, crd string) string { return version + "." + crd }
	stored := func(version string) *Evidence {
		return &Evidence{Stored: Stored{Name: nameOf(version, crd)}, OperatorVersion: version, CreatedBy: controller, Approval: "NotRequired"}
	}
	pending := stored("op-1.2.0")
	pending.Approval = "Pending"
	lower := func(accepted ...string) []Version {
		all := versions("1.2.0", "1.1.0", "1.0.0")
		for i := range all {
			for _, name := range accepted {
				if name == all[i].Name {
					all[i].Accepted = []string{crd}
				}
			}
		}
		return all
	}
	for name, tc := range map[string]struct {
		lower  []Version
		stored []*Evidence
		want   string
		lost   []string
	}{
		"nothing":                    {lower(), nil, "", nil},
		"the newest":                 {lower("op-1.2.0"), []*Evidence{stored("op-1.0.0"), stored("op-1.2.0")}, "op-1.2.0", nil},
		"pending is ignored":         {lower("op-1.2.0", "op-1.0.0"), []*Evidence{stored("op-1.0.0"), pending}, "op-1.0.0", nil},
		"lost, with an older one":    {lower("op-1.1.0", "op-1.0.0"), []*Evidence{stored("op-1.0.0")}, "op-1.0.0", []string{"op-1.1.0"}},
		"all lost":                   {lower("op-1.2.0", "op-1.0.0"), nil, "", []string{"op-1.2.0", "op-1.0.0"}},
		"stops at a trusted version": {lower("op-1.0.0"), []*Evidence{stored("op-1.1.0")}, "op-1.1.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			byName := map[string]*Evidence{}
			for _, one := range tc.stored {
				byName[one.Name] = one
			}
			found, err := FindBaseline(tc.lower, crd, controller, nameOf, func(name string) (*Evidence, error) { return byName[name], nil })
			require.NoError(t, err)
			var lost []string
			for _, one := range found.Lost {
				lost = append(lost, one.OperatorVersion)
				require.Equal(t, nameOf(one.OperatorVersion, crd), one.CRDSchema)
			}
			require.Equal(t, tc.lost, lost)
			if tc.want == "" {
				require.Nil(t, found.Evidence)
				return
			}
			require.Equal(t, nameOf(tc.want, crd), found.Evidence.Name)
		})
	}
	_, err := FindBaseline(lower(), crd, controller, nameOf, func(string) (*Evidence, error) { return nil, errors.New("etcd is unavailable") })
	require.ErrorContains(t, err, "etcd is unavailable")
}

func TestComparison(t *testing.T) {
	side := func(name, maximum string) *Side {
		found, err := NewSide(&Evidence{Stored: Stored{Name: name, Definition: manifest(t, "maximum: 5", "maximum: "+maximum)},
			UID: "uid-of-" + name})
		require.NoError(t, err)
		return found
	}
	large, small := side("large", "9"), side("small", "3")
	lost := []LostEvidence{{"op-1.0.0", "op-1.0.0." + crd}}
	for name, tc := range map[string]struct {
		comparison Comparison
		codes      []string
		against    string
		says       string
	}{
		"safe":     {Comparison{Baseline: small}, nil, "small", "the change from CRDSchema small is safe"},
		"breaking": {Comparison{Baseline: large}, []string{"CRD-408"}, "large", "the change from CRDSchema large is breaking"},
		"lost, nothing else": {Comparison{Lost: lost}, []string{CodeBaselineLost}, "",
			"there is no CRDSchema to compare with, and the accepted CRDSchema of OperatorVersion op-1.0.0 is missing"},
		"lost, safe otherwise": {Comparison{Baseline: small, Lost: lost}, []string{CodeBaselineLost}, "small",
			"OperatorVersion op-1.0.0 is missing or not trusted"},
		"another one, both safe": {Comparison{Baseline: small, Chosen: side("other", "4")}, []string{CodeBaselineChosen}, "small",
			"spec.againstRef names CRDSchema other, which the version does not follow"},
		"another one hides the breaking change": {Comparison{Baseline: large, Chosen: small}, []string{CodeBaselineChosen, "CRD-408"}, "large",
			"the change from CRDSchema large is breaking"},
		"another one breaks": {Comparison{Baseline: small, Chosen: large}, []string{CodeBaselineChosen, "CRD-408"}, "small",
			"the change from CRDSchema small is breaking"},
		"another one alone": {Comparison{Chosen: small}, []string{CodeBaselineChosen}, "small",
			"the change from CRDSchema small is breaking"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.comparison.New = side("new", "5").CRD
			report := tc.comparison.Report()
			var codes []string
			for _, finding := range report.Findings {
				if finding.Verdict.Breaks() {
					codes = append(codes, finding.Code)
				}
			}
			require.ElementsMatch(t, tc.codes, codes)
			require.Equal(t, len(tc.codes) > 0, report.Verdict.Breaks(), "the worst verdict decides")
			require.Contains(t, tc.comparison.Describe(report), tc.says)
			require.False(t, tc.comparison.Empty())
			against := tc.comparison.Against()
			if tc.against == "" {
				require.Nil(t, against)
				require.Equal(t, compare.Digest(nil, tc.comparison.New), report.Digest)
				return
			}
			require.Equal(t, tc.against, against.Name)
			require.Equal(t, compare.Digest(against.CRD, tc.comparison.New), report.Digest, "the digest covers what status.against names")
		})
	}
	require.True(t, Comparison{New: small.CRD}.Empty())
	none, err := NewSide(nil)
	require.NoError(t, err)
	require.Nil(t, none)
	_, err = NewSide(&Evidence{Stored: Stored{Name: "damaged", Definition: []byte("{}")}})
	require.ErrorContains(t, err, "CRDSchema damaged")
}
