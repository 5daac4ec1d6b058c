// SPDX-License-Identifier: Apache-2.0

package policy

import "slices"

// Approvals of a CRDSchema, as in its status.
const (
	approved    = "Approved"
	notRequired = "NotRequired"
	pending     = "Pending"
	rejected    = "Rejected"
)

// Evidence is a stored CRDSchema of an OperatorVersion, as far as it matters to the versions after it.
type Evidence struct {
	Stored
	UID string
	// OperatorVersion is the name in spec.operatorVersionRef, empty without one.
	OperatorVersion string
	// Approval is status.approval; empty until the CRDSchema was judged.
	Approval string
	// CreatedBy is status.createdBy, which the API server stamps.
	CreatedBy string
}

// Accepted reports whether the CRDSchema was judged and may be rolled out.
func (e *Evidence) Accepted() bool { return e.Approval == approved || e.Approval == notRequired }

// Standing is how a CRDSchema of a lower version counts when a newer definition is judged.
type Standing string

const (
	// None has no influence: the version does not have the CRD, or its CRDSchema was never accepted.
	None Standing = "None"
	// Trusted is what a newer definition is compared with.
	Trusted Standing = "Trusted"
	// Lost was accepted once, and is now missing or cannot be trusted. What changes since then is unknown, so a newer
	// definition needs an approval.
	Lost Standing = "Lost"
)

// Standing returns how the CRDSchema that is stored under the name for the version and the CRD counts; found is nil if there is
// none. Only a CRDSchema
// that the API server judged as part of this version is trusted, and in a version whose CRDs come from its chart only one
// that the controller created: any other has a content that its author chose.
func (v Version) Standing(crd string, found *Evidence, controllerUser string) Standing {
	if found != nil && found.OperatorVersion == v.Name && (v.Manual || found.CreatedBy == controllerUser) {
		switch {
		case found.Accepted():
			return Trusted
		case found.Approval == pending || found.Approval == rejected:
			return None
		}
	}
	// A version that is being deleted loses its CRDSchemas in any order.
	if v.Deleting || !slices.Contains(v.Accepted, crd) {
		return None
	}
	return Lost
}

// Baseline is what a definition of a new OperatorVersion follows.
type Baseline struct {
	// Evidence is the trusted CRDSchema of the newest lower version that has one; nil if there is none.
	Evidence *Evidence
	// Lost are the CRDSchemas of the newer OperatorVersions among the lower ones that are missing or not trusted.
	Lost []LostEvidence
}

// LostEvidence is an accepted CRDSchema that is missing or not trusted.
type LostEvidence struct {
	// OperatorVersion and CRDSchema are the names of both.
	OperatorVersion, CRDSchema string
}

// FindBaseline returns what the CRD of a new version follows. lower is the result of Lower or Predecessors; nameOf returns the
// name of the CRDSchema of an OperatorVersion for a CRD, and get the stored CRDSchema of a name, nil if there is none.
func FindBaseline(
	lower []Version, crd, controllerUser string, nameOf func(operatorVersion, crd string) string, get func(name string) (*Evidence, error),
) (Baseline, error) {
	var baseline Baseline
	for _, version := range lower {
		name := nameOf(version.Name, crd)
		found, err := get(name)
		if err != nil {
			return Baseline{}, err
		}
		switch version.Standing(crd, found, controllerUser) {
		case Trusted:
			baseline.Evidence = found
			return baseline, nil
		case Lost:
			baseline.Lost = append(baseline.Lost, LostEvidence{version.Name, name})
		case None:
		}
	}
	return baseline, nil
}
