// SPDX-License-Identifier: Apache-2.0

package crdschema

import (
	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

var columns = []generic.Column[*release.CRDSchema]{
	{Name: "CRD", Description: "Name of the CRD.", Cell: func(s *release.CRDSchema) any { return s.Status.CRD }},
	{Name: "Operator Version", Description: "OperatorVersion that the CRD belongs to.",
		Cell: func(s *release.CRDSchema) any { return operatorVersion(s) }},
	{Name: "Compatibility", Description: "Worst verdict on the change: I, S, R, B, B! or X.",
		Cell: func(s *release.CRDSchema) any { return string(s.Status.Compatibility) }},
	{Name: "Findings", Type: "integer", Description: "Number of findings.",
		Cell: func(s *release.CRDSchema) any { return s.Status.TotalFindings }},
	{Name: "Approval", Description: "Whether a breaking change is approved.",
		Cell: func(s *release.CRDSchema) any { return string(s.Status.Approval) }},
	{Name: "Phase", Description: "One word for the state; see the conditions.",
		Cell: func(s *release.CRDSchema) any { return string(s.Status.Phase) }},
	{Name: "Against", Wide: true, Description: "CRDSchema that the CRD was compared with.", Cell: against},
	{Name: "Digest", Wide: true, Description: "Digest of the CRD.", Cell: func(s *release.CRDSchema) any { return s.Status.Digest }},
	{Name: "Created By", Wide: true, Description: "User that created the object.",
		Cell: func(s *release.CRDSchema) any { return s.Status.CreatedBy }},
	{Name: "Requested By", Wide: true, Description: "User that requested the CRD.",
		Cell: func(s *release.CRDSchema) any { return s.Status.RequestedBy }},
	{Name: "Reason", Wide: true, Description: "Reason of the condition Ready.", Cell: reason},
}

func against(s *release.CRDSchema) any {
	if s.Status.Against == nil {
		return ""
	}
	return s.Status.Against.Name
}

func reason(s *release.CRDSchema) any { return generic.ReadyReason(s.Status.Conditions) }
