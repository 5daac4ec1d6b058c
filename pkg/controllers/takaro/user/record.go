// SPDX-License-Identifier: Apache-2.0

package user

import (
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// isRoot reports whether the user is the one that Takaro created with the domain, and not just a
// user with that role. Roadstead acts as the root user.
func isRoot(user *takaro.User) bool {
	return user.Name == "root" && strings.HasPrefix(strings.ToLower(user.Email), "root@") &&
		slices.ContainsFunc(user.Roles, func(role takaro.AssignedRole) bool { return role.Role.Name == "root" })
}

// drift returns the update that Takaro needs, and the names of the changed fields for messages.
func drift(spec *v1alpha1.UserSpec, record *takaro.User) (takaro.UserUpdate, []string) {
	var update takaro.UserUpdate
	var fields []string
	if record.Name != spec.Name {
		update.Name = &spec.Name
		fields = append(fields, "name")
	}
	if wanted := dashboard(spec); record.IsDashboardUser != wanted {
		update.IsDashboardUser = &wanted
		fields = append(fields, "isDashboardUser")
	}
	return update, fields
}

func dashboard(spec *v1alpha1.UserSpec) bool {
	return spec.DashboardUser == nil || *spec.DashboardUser
}
