// SPDX-License-Identifier: Apache-2.0

package user

import (
	"strings"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

var columns = []generic.Column[*takaro.User]{
	{Name: "Email", Description: "Login name.", Cell: func(u *takaro.User) any { return u.Spec.Email }},
	{Name: "Domain", Description: "Domain that the user belongs to.", Cell: func(u *takaro.User) any { return u.Spec.DomainRef.Name }},
	{Name: "Phase", Description: "One word for the state; see the conditions.",
		Cell: func(u *takaro.User) any { return string(u.Status.Phase) }},
	{Name: "Roles", Description: "Assigned roles.", Cell: func(u *takaro.User) any { return strings.Join(u.Status.Roles, ",") }},
	{Name: "User ID", Wide: true, Description: "Id of the user in Takaro.", Cell: func(u *takaro.User) any { return u.Status.UserID }},
	{Name: "Missing Roles", Wide: true, Description: "Roles that the domain does not have.",
		Cell: func(u *takaro.User) any { return strings.Join(u.Status.MissingRoles, ",") }},
	{Name: "Reason", Wide: true, Description: "Reason of the condition Ready.", Cell: reason},
}

func reason(u *takaro.User) any { return generic.ReadyReason(u.Status.Conditions) }
