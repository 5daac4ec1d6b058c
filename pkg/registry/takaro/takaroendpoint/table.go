// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

var columns = []generic.Column[*takaro.TakaroEndpoint]{
	{Name: "URL", Description: "Address of the Takaro API.", Cell: func(e *takaro.TakaroEndpoint) any { return e.Spec.URL }},
	{Name: "Domains", Type: "integer", Description: "Domains that own a domain at this address.",
		Cell: func(e *takaro.TakaroEndpoint) any { return int64(e.Status.Domains) }},
	{Name: "Held", Type: "integer", Description: "Objects that wait for a release; see status.holds.", Cell: held},
	{Name: "Reason", Description: "Reason of the condition Ready.",
		Cell: func(e *takaro.TakaroEndpoint) any { return generic.ReadyReason(e.Status.Conditions) }},
	{Name: "Installation", Wide: true, Description: "Part of every reference that is generated at this address.",
		Cell: func(e *takaro.TakaroEndpoint) any { return e.Status.Installation }},
}

func held(e *takaro.TakaroEndpoint) any {
	var sum int64
	for _, hold := range e.Status.Holds {
		sum += int64(hold.Held)
	}
	return sum
}
