// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Reasons of conditions of TakaroEndpoints.
const (
	// ReasonVanishedHeld means that so many domains vanished at the same time that none of them
	// is created again.
	ReasonVanishedHeld = "VanishedHeld"
	// ReasonDeletionsHeld means that domains of so many namespaces are being deleted at the same
	// time that none of them is deleted.
	ReasonDeletionsHeld = "DeletionsHeld"
	// ReasonRestartsHeld means that Takaro can reach so few mock servers that they are restarted
	// one by one.
	ReasonRestartsHeld = "RestartsHeld"
	// ReasonHeldByOther means that another installation, such as a copy of this cluster, writes
	// to this Takaro.
	ReasonHeldByOther = "HeldByOther"
	// ReasonIdentityChanged means that another Takaro, or another database, responds at the
	// address.
	ReasonIdentityChanged = "IdentityChanged"
	// ReasonNothingHeld means that no change waits for a release.
	ReasonNothingHeld = "NothingHeld"
)
