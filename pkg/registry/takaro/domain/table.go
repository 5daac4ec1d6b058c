// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"fmt"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

var columns = []generic.Column[*takaro.Domain]{
	{Name: "Takaro Name", Description: "Name of the domain in Takaro.", Cell: func(d *takaro.Domain) any { return d.Spec.Name }},
	{Name: "Phase", Description: "One word for the state; see the conditions.",
		Cell: func(d *takaro.Domain) any { return string(d.Status.Phase) }},
	{Name: "Domain ID", Description: "Id of the domain in Takaro.", Cell: func(d *takaro.Domain) any { return d.Status.DomainID }},
	{Name: "Servers", Description: "Reachable and registered game servers.", Cell: servers},
	{Name: "Users", Description: "Ready and all Users.", Cell: users},
	{Name: "Maintenance", Type: "boolean", Description: "Whether the domain is put into maintenance.",
		Cell: func(d *takaro.Domain) any { return d.Spec.MaintenanceMode }},
	{Name: "Endpoint", Wide: true, Description: "Address of the Takaro API.", Cell: func(d *takaro.Domain) any { return d.Spec.TakaroAPIURL }},
	{Name: "Reference", Wide: true, Description: "externalReference of the domain in Takaro.",
		Cell: func(d *takaro.Domain) any { return d.Status.ExternalReferenceID }},
	{Name: "Reason", Wide: true, Description: "Reason of the condition Ready.", Cell: reason},
}

func servers(d *takaro.Domain) any {
	return fmt.Sprintf("%d/%d", d.Status.GameServers.Reachable, d.Status.GameServers.Registered)
}

func users(d *takaro.Domain) any {
	return fmt.Sprintf("%d/%d", d.Status.Users.Ready, d.Status.Users.Total)
}

func reason(d *takaro.Domain) any { return generic.ReadyReason(d.Status.Conditions) }
