// SPDX-License-Identifier: Apache-2.0

package policy

import "slices"

// Values of status.approval of a CRDSchema.
const (
	approved    = "Approved"
	notRequired = "NotRequired"
	pending     = "Pending"
	rejected    = "Rejected"
)

// Evidence is a stored CRDSchema of an OperatorVersion, with the fields that later versions depend on.
type Evidence struct {
	Stored
	UID string
	// OperatorVersion is the name in spec.operatorVersionRef; empty if there is none.
	OperatorVersion string
	// Approval is status.approval; empty until the CRDSchema was compared.
	Approval string
	// CreatedBy is status.createdBy, which the API server sets.
	CreatedBy string
}

// Accepted reports whether the CRDSchema was compared and may be rolled out.
func (e *Evidence) Accepted() bool { return e.Approval == approved || e.Approval == notRequired }

// Standing is the role of a CRDSchema of a lower version when a newer CRD is compared.
type Standing string

const (
	// None means no influence: the version does not contain the CRD, or its CRDSchema was never accepted.
	None Standing = "None"
	// Trusted means that newer CRDs are compared with the CRDSchema.
	Trusted Standing = "Trusted"
	// Lost means that the CRDSchema was accepted once and is now missing or not trusted. The changes
	// since then are unknown, so a newer CRD needs an approval.
	Lost Standing = "Lost"
)

// Standing returns the standing of the CRDSchema that is stored for the version and the CRD; found is nil
// if there is none. Only a CRDSchema that the API server compared as part of this version is trusted. In a
// version whose CRDs come from its chart, the controller must have created the CRDSchema: the content of
// any other was chosen by its author.
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

// Baseline is the CRDSchema that a CRD of a new OperatorVersion follows.
type Baseline struct {
	// Evidence is the trusted CRDSchema of the newest lower version that has one; nil if there is none.
	Evidence *Evidence
	// Lost are the missing or untrusted CRDSchemas of lower OperatorVersions that are newer than Evidence.
	Lost []LostEvidence
}

// LostEvidence is an accepted CRDSchema that is missing or not trusted.
type LostEvidence struct {
	// OperatorVersion and CRDSchema are the names of the objects.
	OperatorVersion, CRDSchema string
}

// FindBaseline returns the baseline for the CRD of a new version. lower is the result of Lower or
// Predecessors. nameOf returns the name of the CRDSchema of an OperatorVersion for a CRD. get returns the
// stored CRDSchema with a name, or nil.
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
