// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"errors"
	"fmt"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"roadstead.dev/roadstead/pkg/engine/crd/live"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// DefaultLiveBudget is the default maximum time for checking stored objects.
const DefaultLiveBudget = 2 * time.Second

// Options configure a guard.
type Options struct {
	// Policy applies to CRDs without PolicyAnnotation. Defaults to Deny.
	Policy Policy
	// LiveBudget is the maximum time for checking stored objects in one review. Defaults to DefaultLiveBudget.
	LiveBudget time.Duration
	// Objects lists stored objects. If it is nil, stored objects are not checked.
	Objects live.Lister
	// Counts returns the number of objects that cannot be listed. If it is nil, the number is unknown.
	Counts Counter
	// Access decides whether objects are named to the user whose request is reviewed. If it is nil, they are not named.
	Access Access
}

// Counter returns the object counts of the cluster, which may be out of date.
type Counter interface {
	// Count returns the number of objects, or an error with the reason why it is unknown.
	Count(ctx context.Context, resource schema.GroupResource) (Count, error)
}

// Count is a number of objects.
type Count struct {
	Objects int64
	// Age is the maximum age of the number.
	Age time.Duration
}

// Guard answers admission reviews. It is safe for concurrent use.
type Guard struct{ options Options }

// New returns a guard.
func New(options Options) *Guard {
	if options.Policy == "" {
		options.Policy = Deny
	}
	if options.LiveBudget == 0 {
		options.LiveBudget = DefaultLiveBudget
	}
	return &Guard{options}
}

// Decision is a decision in one word, for metrics and audit logs.
type Decision string

const (
	// Allowed means that nothing breaks.
	Allowed Decision = "allowed"
	// AllowedOnce means that an annotation allows a change or deletion that would be rejected otherwise.
	AllowedOnce Decision = "allowed-by-annotation"
	// Warned means that the policy is Warn: breaking changes are allowed with warnings.
	Warned Decision = "warned"
	// Unguarded means that the policy is Off.
	Unguarded Decision = "off"
	// Denied means that something breaks.
	Denied Decision = "denied"
	// CannotTell means that a deletion is rejected because it is unknown whether there are objects.
	CannotTell Decision = "cannot-tell"
)

// Answer is the answer to an admission review.
type Answer struct {
	// Response is the response to the API server, including the UID.
	Response *admissionv1.AdmissionResponse
	// Operation is update, status or delete.
	Operation string
	// CRD is the name of the CRD.
	CRD string
	// Decision is the decision, Verdict the worst verdict of the findings.
	Decision Decision
	Verdict  rules.Verdict
	// Digest identifies a breaking change; it is empty for other changes, and for CRDs that cannot be compared.
	Digest string
}

// The values of Answer.Operation.
const (
	OperationUpdate = "update"
	OperationStatus = "status"
	OperationDelete = "delete"
)

var definitions = schema.GroupResource{Group: apiextensionsv1.GroupName, Resource: "customresourcedefinitions"}

// Review decides about a request. It returns an error for requests that the guard cannot review, such as
// requests for another resource or without the stored CRD; the failurePolicy of the caller then applies.
func (g *Guard) Review(ctx context.Context, request *admissionv1.AdmissionRequest) (Answer, error) {
	answer, err := g.review(ctx, request)
	if err != nil {
		return Answer{}, err
	}
	answer.Response.UID = request.UID
	answer.Response.AuditAnnotations = map[string]string{"decision": string(answer.Decision), "verdict": string(answer.Verdict)}
	if answer.Digest != "" {
		answer.Response.AuditAnnotations["digest"] = answer.Digest
	}
	return answer, nil
}

func (g *Guard) review(ctx context.Context, request *admissionv1.AdmissionRequest) (Answer, error) {
	if request == nil {
		return Answer{}, errors.New("review has no request")
	}
	resource := schema.GroupResource{Group: request.Resource.Group, Resource: request.Resource.Resource}
	if resource != definitions || request.Resource.Version != apiextensionsv1.SchemeGroupVersion.Version {
		return Answer{}, fmt.Errorf("the guard reviews only %s of version v1, not %s of version %q", definitions, resource,
			request.Resource.Version)
	}
	old, err := definitionOf(request.OldObject, "oldObject")
	if err != nil {
		return Answer{}, err
	}
	switch {
	case request.Operation == admissionv1.Delete && request.SubResource == "":
		return g.delete(ctx, request.UserInfo, old), nil
	case request.Operation != admissionv1.Update || request.SubResource != "" && request.SubResource != "status":
		return Answer{}, fmt.Errorf("the guard reviews only UPDATE and DELETE, not %s of subresource %q",
			request.Operation, request.SubResource)
	}
	new, err := definitionOf(request.Object, "object")
	if err != nil {
		return Answer{}, err
	}
	if request.SubResource == "status" {
		return g.status(old, new), nil
	}
	return g.update(ctx, request.UserInfo, old, new), nil
}

func definitionOf(object runtime.RawExtension, field string) (*apiextensionsv1.CustomResourceDefinition, error) {
	if len(object.Raw) == 0 {
		return nil, fmt.Errorf("review has no %s", field)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(object.Raw, definition); err != nil {
		return nil, fmt.Errorf("decode %s of the review as CustomResourceDefinition: %w", field, err)
	}
	if definition.Name == "" {
		return nil, fmt.Errorf("%s of the review has no metadata.name", field)
	}
	return definition, nil
}

// answered returns an answer that allows the request.
func answered(operation string, definition *apiextensionsv1.CustomResourceDefinition, decision Decision, warnings ...string) Answer {
	return Answer{
		Response:  &admissionv1.AdmissionResponse{Allowed: true, Warnings: header(warnings)},
		Operation: operation, CRD: definition.Name, Decision: decision, Verdict: rules.Informational,
	}
}
