// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/util/text"
)

// at returns a copy with the condition that the reason applies to, or nil for nil. A delay that a
// repository requested takes precedence over back-off.
func at(condition string, found *base.Blocked) *base.Blocked {
	if found == nil {
		return nil
	}
	placed := *found
	placed.Condition = condition
	if placed.RequeueAfter > 0 {
		placed.Err = nil
	}
	return &placed
}

// refusal is a CRD that the API server rejected as a CRDSchema.
type refusal struct {
	definition string
	// findings contains what the CRD breaks. It is empty if the CRD was rejected for another
	// reason, which blocked contains.
	findings []v1alpha1.Finding
	blocked  *base.Blocked
}

// refused classifies an error of a create. A rejected CRD is not tried again until something else
// changes.
func refused(definition string, err error) *refusal {
	name := fmt.Sprintf("the CRDSchema of %s", definition)
	blocked := &base.Blocked{Condition: v1alpha1.ConditionCRDsCompatible, Reason: v1alpha1.ReasonSchemaRefused,
		Message: text.Characters(fmt.Sprintf("%s is refused: %v", name, err), longestAnswer)}
	switch {
	case apierrors.IsInvalid(err):
		if findings := findingsOf(definition, err); len(findings) > 0 {
			return &refusal{definition: definition, findings: findings}
		}
	case apierrors.IsBadRequest(err), apierrors.IsRequestEntityTooLargeError(err):
	case apierrors.IsForbidden(err):
		blocked.Err = err // a policy of the cluster, whose changes are not observed
	default:
		blocked = at(v1alpha1.ConditionCRDsCompatible, chartsource.Request("making "+name, err))
	}
	return &refusal{definition: definition, blocked: blocked}
}

// longestAnswer is the maximum number of characters of an API server response in a message: it can
// have a hundred causes.
const longestAnswer = 2000

// causeForm matches a finding in a cause of the API server: code, verdict, message, and what to do
// instead. An API server of an earlier release, which may still respond during an upgrade, writes
// "CODE (B): …" for "[CODE B] …".
var causeForm = regexp.MustCompile(`^(?:Forbidden: |Invalid value: .*?: )?\[?([A-Z][A-Za-z0-9-]{1,40}) \(?(X|B!|B)(?:\]|\):) (.*)$`)

// findingsOf parses the findings in the causes of a rejection.
func findingsOf(definition string, err error) []v1alpha1.Finding {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var findings []v1alpha1.Finding
	for _, cause := range status.Status().Details.Causes {
		match := causeForm.FindStringSubmatch(strings.Join(strings.Fields(cause.Message), " "))
		if match == nil {
			continue
		}
		version, path := placeOf(cause)
		message, hint, _ := strings.Cut(match[3], " Instead: ")
		// Longer strings in a status are rejected.
		findings = append(findings, v1alpha1.Finding{
			CRD: definition, Code: match[1], Verdict: v1alpha1.Compatibility(match[2]), Version: text.Characters(version, crdpolicy.MaxVersion),
			Path: text.Characters(path, crdpolicy.MaxPath), Message: text.Characters(message, crdpolicy.MaxMessage),
			Hint: text.Characters(hint, crdpolicy.MaxHint),
		})
	}
	return findings
}

var placeForm = regexp.MustCompile(`^spec\.definition(?:\[([^\]]*)\])?\.?(.*)$`)

// placeOf splits the field of a cause into the version and the path within it.
func placeOf(cause metav1.StatusCause) (version, path string) {
	match := placeForm.FindStringSubmatch(cause.Field)
	if match == nil {
		return "", cause.Field
	}
	return match[1], match[2]
}
