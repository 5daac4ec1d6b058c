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

// DefaultLiveBudget is how long stored objects are looked at where nothing else is said.
const DefaultLiveBudget = 2 * time.Second

// Options say how the guard decides.
type Options struct {
	// Policy is that of definitions without PolicyAnnotation: Deny where empty.
	Policy Policy
	// LiveBudget is how long stored objects may be looked at in one review; DefaultLiveBudget where 0.
	LiveBudget time.Duration
	// Objects lists stored objects. Nil: they are not looked at.
	Objects live.Lister
	// Counts tells how many objects there are where they cannot be listed. Nil: nobody tells.
	Counts Counter
	// Access decides whether objects are named to the user whose request is reviewed. Nil: they never are.
	Access Access
}

// Counter tells how many objects of a resource the cluster holds, from what the cluster has counted a while ago.
type Counter interface {
	// Count gives the number; an error says why there is no figure.
	Count(ctx context.Context, resource schema.GroupResource) (Count, error)
}

// Count is how many objects there were.
type Count struct {
	Objects int64
	// Age is how old the figure may be.
	Age time.Duration
}

// Guard answers reviews, several at a time.
type Guard struct{ options Options }

// New makes a guard.
func New(options Options) *Guard {
	if options.Policy == "" {
		options.Policy = Deny
	}
	if options.LiveBudget == 0 {
		options.LiveBudget = DefaultLiveBudget
	}
	return &Guard{options}
}

// Decision is what was decided, in a word for metrics and audit logs.
type Decision string

const (
	// Allowed is said where nothing breaks.
	Allowed Decision = "allowed"
	// AllowedOnce is said where an annotation allows what would have been refused.
	AllowedOnce Decision = "allowed-by-annotation"
	// Warned is said where the policy is Warn: what breaks is allowed, and told as warnings.
	Warned Decision = "warned"
	// Unguarded is said where the policy is Off.
	Unguarded Decision = "off"
	// Denied is said where something breaks.
	Denied Decision = "denied"
	// CannotTell is said of a deletion that is refused because it is not known whether there are objects.
	CannotTell Decision = "cannot-tell"
)

// Answer is what the guard says.
type Answer struct {
	// Response goes to the API server; its UID is set.
	Response *admissionv1.AdmissionResponse
	// Operation is update, status or delete.
	Operation string
	// CRD is the name of the definition.
	CRD string
	// Decision, and Verdict of the change: the worst of its findings.
	Decision Decision
	Verdict  rules.Verdict
	// Digest identifies a change that breaks something; empty for others, and where it cannot be told.
	Digest string
}

// The operations of answers.
const (
	OperationUpdate = "update"
	OperationStatus = "status"
	OperationDelete = "delete"
)

var definitions = schema.GroupResource{Group: apiextensionsv1.GroupName, Resource: "customresourcedefinitions"}

// Review decides about a request. The error is for one that a guard cannot be asked, as of another resource or without the
// stored definition; whoever asks then goes by the failurePolicy of its configuration.
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
		return Answer{}, errors.New("the review has no request")
	}
	resource := schema.GroupResource{Group: request.Resource.Group, Resource: request.Resource.Resource}
	if resource != definitions || request.Resource.Version != apiextensionsv1.SchemeGroupVersion.Version {
		return Answer{}, fmt.Errorf("the guard answers for %s of version v1 only, not for %s of version %q", definitions, resource,
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
		return Answer{}, fmt.Errorf("the guard answers for UPDATE and DELETE, not for %s of subresource %q",
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
		return nil, fmt.Errorf("the review has no %s", field)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(object.Raw, definition); err != nil {
		return nil, fmt.Errorf("%s of the review is no CustomResourceDefinition: %w", field, err)
	}
	if definition.Name == "" {
		return nil, fmt.Errorf("%s of the review is a CustomResourceDefinition without a name", field)
	}
	return definition, nil
}

// answered is an answer that allows.
func answered(operation string, definition *apiextensionsv1.CustomResourceDefinition, decision Decision, warnings ...string) Answer {
	return Answer{
		Response:  &admissionv1.AdmissionResponse{Allowed: true, Warnings: header(warnings)},
		Operation: operation, CRD: definition.Name, Decision: decision, Verdict: rules.Informational,
	}
}
