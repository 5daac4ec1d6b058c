// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

var columns = []generic.Column[*release.Operator]{
	{Name: "Chart", Description: "Name of the chart.", Cell: func(o *release.Operator) any { return o.Spec.Chart.Name }},
	{Name: "Namespace", Description: "Where the operator is installed.", Cell: func(o *release.Operator) any { return o.Spec.Namespace }},
	{Name: "Versions", Type: "integer", Description: "Number of OperatorVersions.",
		Cell: func(o *release.Operator) any { return o.Status.Versions }},
	{Name: "Latest", Description: "Highest version among the OperatorVersions.",
		Cell: func(o *release.Operator) any { return o.Status.LatestVersion }},
	{Name: "Breaking", Description: "Policy for breaking changes of CustomResourceDefinitions.",
		Cell: func(o *release.Operator) any { return string(o.Spec.CRDPolicy.Breaking) }},
	{Name: "Phase", Description: "One word for the state; see the conditions.",
		Cell: func(o *release.Operator) any { return string(o.Status.Phase) }},
	{Name: "Repository", Wide: true, Description: "Address of the chart repository.",
		Cell: func(o *release.Operator) any { return o.Spec.Chart.Repository }},
	{Name: "Release", Wide: true, Description: "Name of the Helm release.", Cell: func(o *release.Operator) any { return o.Spec.ReleaseName }},
	{Name: "Discover", Wide: true, Description: "Versions of the repository for which OperatorVersions are created automatically.",
		Cell: func(o *release.Operator) any { return o.Spec.Chart.Discover }},
	{Name: "Reason", Wide: true, Description: "Reason of the condition Ready.", Cell: reason},
}

func reason(o *release.Operator) any { return generic.ReadyReason(o.Status.Conditions) }
