// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Reasons of conditions of TakaroEndpoints.
const (
	// ReasonVanishedHeld says that so many domains vanished together that none is created anew.
	ReasonVanishedHeld = "VanishedHeld"
	// ReasonDeletionsHeld says that domains of so many namespaces are being deleted together that none is.
	ReasonDeletionsHeld = "DeletionsHeld"
	// ReasonRestartsHeld says that Takaro reaches so few mock servers that they are restarted one by one.
	ReasonRestartsHeld = "RestartsHeld"
	// ReasonHeldByOther says that another installation, such as a copy of this cluster, writes into this Takaro.
	ReasonHeldByOther = "HeldByOther"
	// ReasonIdentityChanged says that another Takaro, or another database, answers at the address.
	ReasonIdentityChanged = "IdentityChanged"
	// ReasonNothingHeld says that no change waits for a release.
	ReasonNothingHeld = "NothingHeld"
)
