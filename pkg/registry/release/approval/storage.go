// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// Storage holds the resource of Approvals and its subresources.
type Storage struct {
	Main            *generic.REST
	Status          *generic.StatusREST
	Approve, Reject *DecisionREST
}

// NewREST returns the storage of Approvals, of their status, and of the decisions about them. Only the controller creates
// Approvals, of subjects that objects finds.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, objects *lookup.Objects, options Options) (*Storage, error) {
	kind := newKind(scheme, options.Clock)
	main, status, err := generic.NewStore(kind, getter)
	if err != nil {
		return nil, err
	}
	main.BeginCreate = creation{user: options.ControllerUser, objects: objects, clock: options.Clock}.begin

	// The same store, with a validation of the status that allows decisions of users.
	kind.ValidateStatus = validation.ValidateApprovalDecided
	deciding := *main.Store
	strategy := generic.NewStatusStrategy(generic.NewStrategy(kind))
	deciding.UpdateStrategy, deciding.ResetFieldsStrategy = strategy, strategy
	decision := func(outcome release.ApprovalOutcome) *DecisionREST {
		return &DecisionREST{store: &deciding, outcome: outcome, options: options, objects: objects}
	}
	return &Storage{Main: main, Status: status, Approve: decision(release.OutcomeApproved), Reject: decision(release.OutcomeRejected)}, nil
}
