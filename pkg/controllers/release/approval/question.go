// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

const (
	// inSummary is the maximum number of findings in a summary.
	inSummary = 10
	// longestSummary is the maximum number of characters in spec.summary.
	longestSummary = 4096
)

// nameOf returns the name of the Approval of a CRDSchema.
func nameOf(schema metav1.Object) string {
	return release.ApprovalName("CRDSchema", string(schema.GetUID()), string(v1alpha1.ApprovalBreakingCRDChange), "")
}

// question returns the Approval of a CRDSchema. The API server sets the fields that decisions
// depend on, for example the requesting user and the levels.
func question(schema *v1alpha1.CRDSchema, expiry time.Duration) *v1alpha1.Approval {
	approval := &v1alpha1.Approval{ObjectMeta: metav1.ObjectMeta{Name: nameOf(schema)}}
	approval.Spec = v1alpha1.ApprovalSpec{
		Subject:      v1alpha1.ApprovalSubject{Kind: "CRDSchema", Name: schema.Name, UID: string(schema.UID), Digest: digestOf(schema)},
		Type:         v1alpha1.ApprovalBreakingCRDChange,
		ExpiresAfter: &metav1.Duration{Duration: expiry},
		Summary:      summary(schema),
	}
	return approval
}

// summary returns what breaks, cut to the maximum length.
func summary(schema *v1alpha1.CRDSchema) string {
	status := &schema.Status
	change := "there is no CRDSchema to compare with"
	if status.Against != nil {
		change = fmt.Sprintf("the change from CRDSchema %s breaks what uses it", status.Against.Name)
	}
	lines := []string{fmt.Sprintf("%s: %s (worst verdict %s, %d findings)", status.CRD, change, status.Compatibility, status.TotalFindings)}
	told := 0
	for _, finding := range status.Findings {
		if told == inSummary {
			break
		}
		lines = append(lines, crdpolicy.Brief(&rules.Finding{
			Code: finding.Code, Verdict: rules.Verdict(finding.Verdict), Version: finding.Version, Path: finding.Path, Message: finding.Message,
		}))
		told++
	}
	if more := int(status.TotalFindings) - told; more > 0 && told > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: see status.findings", more))
	}
	text := strings.Join(lines, "\n")
	if utf8.RuneCountInString(text) > longestSummary {
		return string([]rune(text)[:longestSummary-1]) + "…"
	}
	return text
}
