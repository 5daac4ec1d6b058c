// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

var columns = []generic.Column[*release.OperatorVersion]{
	{Name: "Operator", Description: "Name of the Operator.", Cell: func(v *release.OperatorVersion) any { return v.Spec.OperatorRef.Name }},
	{Name: "Version", Description: "The version.", Cell: func(v *release.OperatorVersion) any { return v.Spec.Version }},
	{Name: "CRDs", Type: "integer", Description: "Number of CustomResourceDefinitions.",
		Cell: func(v *release.OperatorVersion) any { return len(v.Status.CRDs) }},
	{Name: "Compatibility", Description: "Worst verdict on a change of a CRD.", Cell: compatibility},
	{Name: "Approval", Description: "Whether breaking changes are approved.",
		Cell: func(v *release.OperatorVersion) any { return string(v.Status.Approval) }},
	{Name: "Phase", Description: "One word for the state; see the conditions.",
		Cell: func(v *release.OperatorVersion) any { return string(v.Status.Phase) }},
	{Name: "Chart Version", Wide: true, Description: "Version of the chart.",
		Cell: func(v *release.OperatorVersion) any { return v.Spec.ChartVersion }},
	{Name: "CRD Source", Wide: true, Description: "Source of the CRDs.",
		Cell: func(v *release.OperatorVersion) any { return string(v.Spec.CRDSource) }},
	{Name: "Created By", Wide: true, Description: "User that created the object.",
		Cell: func(v *release.OperatorVersion) any { return v.Status.CreatedBy }},
	{Name: "Requested By", Wide: true, Description: "User that requested the version.",
		Cell: func(v *release.OperatorVersion) any { return v.Status.RequestedBy }},
	{Name: "Reason", Wide: true, Description: "Reason of the condition Ready.", Cell: reason},
}

// compatibility returns the worst verdict of all CRDs; empty if none was compared.
func compatibility(v *release.OperatorVersion) any {
	worst := rules.Verdict("")
	for _, crd := range v.Status.CRDs {
		if verdict := rules.Verdict(crd.Compatibility); verdict != "" && (worst == "" || verdict.Compare(worst) > 0) {
			worst = verdict
		}
	}
	return string(worst)
}

func reason(v *release.OperatorVersion) any { return generic.ReadyReason(v.Status.Conditions) }
