// SPDX-License-Identifier: Apache-2.0

package ownership

import "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"

// The published types of the ledger.
type (
	// Status is what an API object stores about its outside objects.
	Status = v1alpha1.Status
	// Record is one outside object.
	Record = v1alpha1.Record
	// State is the state of a record.
	State = v1alpha1.State
	// Origin is how the API object obtained the outside object.
	Origin = v1alpha1.Origin
)

// The states and origins of a record.
const (
	Intended = v1alpha1.Intended
	Held     = v1alpha1.Held
	Lost     = v1alpha1.Lost

	Created = v1alpha1.Created
	Adopted = v1alpha1.Adopted
	Found   = v1alpha1.Found
)
