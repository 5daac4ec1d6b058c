// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"net/http"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// inMessage is the maximum number of findings in the message, which is all that Helm, Argo CD and Flux print.
const inMessage = 10

// refusal contains the parts of a Status.
type refusal struct {
	// what describes the rejected request in a sentence.
	what string
	// causes are the breaking findings; notes are additional lines of the message.
	causes []metav1.StatusCause
	notes  []string
	// annotation is the annotation that would allow the request; wayOut is the instruction to set it.
	annotation, wayOut string
}

// status returns the Status, for clients that print causes and for clients that print the message.
func (r refusal) status(definition *apiextensionsv1.CustomResourceDefinition) *metav1.Status {
	lines := []string{r.what}
	for i, cause := range r.causes {
		if i == inMessage {
			lines = append(lines, fmt.Sprintf("- and %d more", len(r.causes)-inMessage))
			break
		}
		lines = append(lines, "- "+cause.Field+": "+cause.Message)
	}
	lines = append(lines, r.notes...)
	causes := r.causes
	if len(causes) > maxCauses {
		causes = append(causes[:maxCauses:maxCauses], metav1.StatusCause{
			Type: metav1.CauseTypeFieldValueInvalid, Field: "spec", Message: fmt.Sprintf("and %d more", len(r.causes)-maxCauses),
		})
	}
	causes = append(causes[:len(causes):len(causes)], metav1.StatusCause{
		Type: metav1.CauseTypeForbidden, Field: "metadata.annotations[" + r.annotation + "]", Message: r.wayOut,
	})
	return &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
		Message: strings.Join(append(lines, r.wayOut), "\n"),
		Details: &metav1.StatusDetails{Group: apiextensionsv1.GroupName, Kind: "CustomResourceDefinition", Name: definition.Name, Causes: causes},
	}
}

// causesOf returns the causes for findings.
func causesOf(findings []rules.Finding) []metav1.StatusCause {
	causes := make([]metav1.StatusCause, 0, len(findings))
	for i := range findings {
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: fieldOf(&findings[i]),
			Message: sentence(&findings[i])})
	}
	return causes
}

// annotate returns the command that sets an annotation.
func annotate(definition *apiextensionsv1.CustomResourceDefinition, annotation, value string) string {
	return fmt.Sprintf("kubectl annotate crd %s %s=%s --overwrite", definition.Name, annotation, value)
}
