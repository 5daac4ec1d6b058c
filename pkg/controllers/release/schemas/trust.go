// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// Flaw says why a CRDSchema is no evidence of what the chart of an OperatorVersion renders.
type Flaw string

const (
	// FlawNone is that of evidence.
	FlawNone Flaw = ""
	// FlawDeleting is that of a CRDSchema that is being deleted.
	FlawDeleting Flaw = "Deleting"
	// FlawStale is that of a CRDSchema of a deleted OperatorVersion of the same name. The garbage
	// collector deletes it.
	FlawStale Flaw = "Stale"
	// FlawCreator is that of a CRDSchema that another user than the controller created.
	FlawCreator Flaw = "Creator"
	// FlawVersion is that of a CRDSchema whose spec does not name the OperatorVersion.
	FlawVersion Flaw = "Version"
	// FlawOwner is that of a CRDSchema whose controller reference is not that of the
	// OperatorVersion.
	FlawOwner Flaw = "Owner"
	// FlawDigest is that of a CRDSchema with another definition than the chart renders.
	FlawDigest Flaw = "Digest"
)

// Chart is what the controller knows of a CRD of an OperatorVersion from the chart itself.
type Chart struct {
	// Version is the name of the OperatorVersion, and UID its UID.
	Version string
	UID     types.UID
	// Controller is the user of the controller.
	Controller string
	// Digest of the definition that the chart renders.
	Digest string
}

// FlawOf decides whether a CRDSchema is evidence. Owner references and annotations can be changed
// by whoever may update the CRDSchema, so they never suffice: only the controller's own user, which
// the server records, and the digest of the chart do.
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
// stays true when the version is not Ready for another reason, such as a repository that serves
// another chart.
func MayRollOut(version *v1alpha1.OperatorVersion) bool {
	return meta.IsStatusConditionTrue(version.Status.Conditions, v1alpha1.ConditionCRDsCompatible)
}
