// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// Flaw is why a CRDSchema is no evidence of what the chart of an OperatorVersion renders.
type Flaw string

const (
	// FlawNone means that the CRDSchema is evidence.
	FlawNone Flaw = ""
	// FlawDeleting means that the CRDSchema is being deleted.
	FlawDeleting Flaw = "Deleting"
	// FlawStale means that the CRDSchema belongs to a deleted OperatorVersion of the same name. The
	// garbage collector deletes it.
	FlawStale Flaw = "Stale"
	// FlawCreator means that the CRDSchema was not created by the controller.
	FlawCreator Flaw = "Creator"
	// FlawVersion means that the spec of the CRDSchema does not name the OperatorVersion.
	FlawVersion Flaw = "Version"
	// FlawOwner means that the controller reference of the CRDSchema is not that of the
	// OperatorVersion.
	FlawOwner Flaw = "Owner"
	// FlawDigest means that the CRDSchema contains a different CRD than the chart renders.
	FlawDigest Flaw = "Digest"
)

// Chart is what the controller knows of a CRD of an OperatorVersion from the chart itself.
type Chart struct {
	// Version is the name of the OperatorVersion, and UID its UID.
	Version string
	UID     types.UID
	// Controller is the user name of the controller.
	Controller string
	// Digest is the digest of the CRD that the chart renders.
	Digest string
}

// FlawOf returns whether a CRDSchema is evidence. Any user with permission to update the CRDSchema
// can change its owner references and annotations, so these are not sufficient: only the
// controller's user name, which the API server records, and the digest of the chart are.
func (c Chart) FlawOf(one *Summary) Flaw {
	switch {
	case one.Deleting:
		return FlawDeleting
	case one.OwnerName == c.Version && one.Owner != c.UID:
		return FlawStale
	case one.CreatedBy != c.Controller || c.Controller == "":
		return FlawCreator
	case one.OperatorVersion != c.Version:
		return FlawVersion
	case one.Owner != c.UID:
		return FlawOwner
	case one.Observed && one.Digest != c.Digest:
		return FlawDigest
	}
	return FlawNone
}

// MayRollOut reports whether the CRDs of an OperatorVersion were judged and may be rolled out. It
// stays true when the version is not Ready for another reason, such as a repository that serves a
// different chart.
func MayRollOut(version *v1alpha1.OperatorVersion) bool {
	return meta.IsStatusConditionTrue(version.Status.Conditions, v1alpha1.ConditionCRDsCompatible)
}
