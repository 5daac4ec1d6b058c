// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Reasons of conditions by which a controller holds back a change in Takaro that cannot be undone.
const (
	// ReasonEndpointVerifying means that the controller is verifying that the address still
	// refers to the same Takaro.
	ReasonEndpointVerifying = "EndpointVerifying"
	// ReasonSearchIncomplete means that a response of Takaro is incomplete or contradictory.
	ReasonSearchIncomplete = "SearchIncomplete"
	// ReasonSearchTooLarge means that the response to a search in Takaro exceeds the maximum
	// size.
	ReasonSearchTooLarge = "SearchTooLarge"
	// ReasonReferenceChanged means that the object's domain has an externalReference that
	// Roadstead did not set.
	ReasonReferenceChanged = "ReferenceChanged"
	// ReasonVanished means that the object in Takaro no longer exists, although Roadstead did not
	// delete it.
	ReasonVanished = "Vanished"
	// ReasonCreateUnclear means that a create request was sent and may still take effect.
	ReasonCreateUnclear = "CreateUnclear"
	// ReasonLedgerNotKept means that the API server did not store status.ownership, so nothing is
	// created.
	ReasonLedgerNotKept = "LedgerNotKept"
	// ReasonDeletionHeld means that more objects are being deleted at the same time than is
	// allowed without confirmation.
	ReasonDeletionHeld = "DeletionHeld"
)
