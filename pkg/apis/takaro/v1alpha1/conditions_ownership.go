// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Reasons of conditions by which a controller holds back a change in Takaro that cannot be undone.
const (
	// ReasonEndpointVerifying says: it is being checked that the address still leads to the same Takaro.
	ReasonEndpointVerifying = "EndpointVerifying"
	// ReasonSearchIncomplete says: what Takaro returned is incomplete or contradicts itself.
	ReasonSearchIncomplete = "SearchIncomplete"
	// ReasonSearchTooLarge says: a search in Takaro has a larger answer than is read.
	ReasonSearchTooLarge = "SearchTooLarge"
	// ReasonReferenceChanged says: the object's domain carries a reference that Roadstead did not set.
	ReasonReferenceChanged = "ReferenceChanged"
	// ReasonVanished says: the object in Takaro no longer exists, although nothing here was deleted.
	ReasonVanished = "Vanished"
	// ReasonCreateUnclear says: a create was sent and may still take effect.
	ReasonCreateUnclear = "CreateUnclear"
	// ReasonLedgerNotKept says: the API server did not store status.ownership, so nothing is created.
	ReasonLedgerNotKept = "LedgerNotKept"
	// ReasonDeletionHeld says: more is being deleted at once than is done without confirmation.
	ReasonDeletionHeld = "DeletionHeld"
)
