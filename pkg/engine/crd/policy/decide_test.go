// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

func of(verdict rules.Verdict) rules.Report {
	return rules.NewReport(rules.Finding{Code: "CRD-101", Verdict: verdict})
}

func TestDecide(t *testing.T) {
	for _, tc := range []struct {
		policy    Policy
		requested bool
		want      map[rules.Verdict]Outcome
	}{
		{Deny, false, map[rules.Verdict]Outcome{rules.Breaking: Refused, rules.Destructive: Refused}},
		{Deny, true, map[rules.Verdict]Outcome{rules.Breaking: Refused, rules.Destructive: Refused}},
		{RequireApproval, false, map[rules.Verdict]Outcome{rules.Breaking: Unrequested, rules.Destructive: Unrequested}},
		{RequireApproval, true, map[rules.Verdict]Outcome{rules.Breaking: Pending, rules.Destructive: Pending}},
		{"", false, map[rules.Verdict]Outcome{rules.Breaking: Unrequested, rules.Destructive: Unrequested}},
		{Warn, false, map[rules.Verdict]Outcome{rules.Breaking: PassedWithWarning, rules.Destructive: PassedWithWarning}},
		{Warn, true, map[rules.Verdict]Outcome{rules.Breaking: PassedWithWarning, rules.Destructive: PassedWithWarning}},
		{"Unknown", true, map[rules.Verdict]Outcome{rules.Breaking: Refused, rules.Destructive: Refused}},
	} {
		for verdict, want := range tc.want {
			assert.Equal(t, want, Decide(of(verdict), tc.policy, tc.requested), "%s under %q, requested %v", verdict, tc.policy, tc.requested)
		}
		for _, harmless := range []rules.Verdict{rules.Informational, rules.Safe, rules.Review} {
			assert.Equal(t, Fine, Decide(of(harmless), tc.policy, tc.requested))
		}
		assert.Equal(t, Refused, Decide(of(rules.Refused), tc.policy, tc.requested), "X under %q", tc.policy)
	}
	assert.Equal(t, Fine, Decide(rules.NewReport(), Deny, false))
	for outcome, refuses := range map[Outcome]bool{Fine: false, PassedWithWarning: false, Pending: false, Unrequested: true, Refused: true} {
		assert.Equal(t, refuses, outcome.Refuses(), outcome)
	}
}

// many returns a report with n findings of each verdict.
func many(n int) rules.Report {
	var all []rules.Finding
	for i := range n {
		for _, verdict := range []rules.Verdict{rules.Breaking, rules.Review, rules.Safe} {
			all = append(all, rules.Finding{
				CRD: "widgets.example.com", Code: "CRD-401", Verdict: verdict, Version: "v1", Path: fmt.Sprintf(".spec.f%03d", i),
				Message: "Longer values are rejected.", FixHint: "Keep the limit.",
			})
		}
	}
	return rules.NewReport(all...)
}

func TestFindings_Bounded(t *testing.T) {
	huge := strings.Repeat("ä", 5000)
	report := rules.NewReport(rules.Finding{CRD: huge, Code: huge, Verdict: rules.Breaking, Version: huge, Path: huge, Old: huge, New: huge,
		Message: "a\nb\x00" + huge + "\xff", FixHint: huge})
	findings, total := Findings(report, 50)
	require.Len(t, findings, 1)
	require.Equal(t, 1, total)
	found := findings[0]
	for text, limit := range map[*string]int{
		&found.CRD: MaxCRD, &found.Code: MaxCode, &found.Version: MaxVersion, &found.Path: MaxPath, &found.Old: MaxValue, &found.New: MaxValue,
		&found.Message: MaxMessage, &found.FixHint: MaxHint,
	} {
		assert.Equal(t, limit, utf8.RuneCountInString(*text))
		assert.True(t, strings.HasSuffix(*text, "…"))
	}
	assert.True(t, strings.HasPrefix(found.Message, "a b ä"), "one line")
	assert.Equal(t, rules.Breaking, found.Verdict)

	findings, total = Findings(many(30), 50)
	require.Len(t, findings, 50)
	require.Equal(t, 90, total)
	require.Equal(t, rules.Breaking, findings[29].Verdict)
	require.Equal(t, rules.Review, findings[30].Verdict, "worst first")
	findings, total = Findings(rules.NewReport(), 50)
	require.Empty(t, findings)
	require.Zero(t, total)
}

func TestCauses(t *testing.T) {
	base := field.NewPath("spec", "definition")
	require.Empty(t, Causes(of(rules.Review), base), "a finding that needs a review does not reject the change")
	errs := Causes(many(100), base)
	require.Len(t, errs, 100)
	require.Equal(t, "spec.definition[v1].spec.f000: Forbidden: [CRD-401 B] Longer values are rejected. Instead: Keep the limit.",
		errs[0].Error())
	errs = Causes(many(103), base)
	require.Len(t, errs, 101)
	require.Equal(t, "spec.definition: Forbidden: and 3 more", errs[100].Error())

	whole := rules.NewReport(rules.Finding{Code: "CRD-D01", Verdict: rules.Refused, Path: "spec.scope", Message: "No."},
		rules.Finding{Code: "CRD-E01", Verdict: rules.Destructive, Version: "v1", Message: "Gone."})
	errs = Causes(whole, base)
	require.Equal(t, "spec.definition.spec.scope: Forbidden: [CRD-D01 X] No.", errs[0].Error())
	require.Equal(t, "spec.definition[v1]: Forbidden: [CRD-E01 B!] Gone.", errs[1].Error())
}

func TestWarnings(t *testing.T) {
	require.Empty(t, Warnings(of(rules.Safe)))
	lines := Warnings(many(7))
	require.Len(t, lines, 13)
	require.Equal(t, "spec.versions[v1].schema.spec.f000: [CRD-401 B] Longer values are rejected. Instead: Keep the limit.", lines[0])
	require.Equal(t, "spec.versions[v1].schema.spec.f000: [CRD-401 R] Longer values are rejected. Instead: Keep the limit.", lines[7])
	require.Equal(t, "and 2 more", lines[12])
	require.Len(t, Warnings(many(6)), 12)
	long := Warnings(rules.NewReport(rules.Finding{Code: "CRD-101", Verdict: rules.Review, Message: strings.Repeat("long ", 100)}))
	require.Len(t, long, 1)
	require.Equal(t, 256, utf8.RuneCountInString(long[0]))
}
