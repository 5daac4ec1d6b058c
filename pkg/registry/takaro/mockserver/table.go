// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"cmp"
	"fmt"

	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

var columns = []generic.Column[*takaro.MockServer]{
	{Name: "Domain", Description: "Domain, or externalReference of the Takaro domain, that the game servers belong to.", Cell: domain},
	{Name: "Ready", Description: "Ready and wanted pods.", Cell: func(m *takaro.MockServer) any {
		return fmt.Sprintf("%d/%d", m.Status.ReadyReplicas, ptr.Deref(m.Spec.Replicas, 0))
	}},
	{Name: "Players", Type: "integer", Description: "Size of the pool of simulated players.", Cell: func(m *takaro.MockServer) any {
		return int64(ptr.Deref(m.Spec.TotalPlayers, 0))
	}},
	{Name: "Reachable", Type: "integer", Description: "Number of game servers that Takaro can reach.",
		Cell: func(m *takaro.MockServer) any { return int64(m.Status.Reachable) }},
	{Name: "Phase", Description: "One word for the state; see the conditions.",
		Cell: func(m *takaro.MockServer) any { return string(m.Status.Phase) }},
	{Name: "Image", Wide: true, Description: "Image of the mock game server.", Cell: image},
	{Name: "Reason", Wide: true, Description: "Reason of the condition Ready.", Cell: reason},
}

func domain(m *takaro.MockServer) any {
	if m.Spec.DomainRef != nil {
		return m.Spec.DomainRef.Name
	}
	return m.Spec.ExternalReferenceID
}

// image returns the image of the pods. Only the controller knows the default of the installation.
func image(m *takaro.MockServer) any { return cmp.Or(m.Spec.Image, "(default)") }

func reason(m *takaro.MockServer) any { return generic.ReadyReason(m.Status.Conditions) }
