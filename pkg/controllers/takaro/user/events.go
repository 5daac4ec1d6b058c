// SPDX-License-Identifier: Apache-2.0

package user

import (
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
)

// Reasons of events.
const (
	eventCreated        = "UserCreated"
	eventFound          = "UserFound"
	eventAdopted        = "UserAdopted"
	eventVanished       = "UserVanished"
	eventDriftCorrected = "DriftCorrected"
	eventRoleUnassigned = "RoleUnassigned"
	eventDeleted        = "UserDeleted"
	eventLeftInTakaro   = "LeftInTakaro"
)

var (
	usersCreated = counts.Created.WithLabelValues("User")
	usersDeleted = counts.Deleted.WithLabelValues("User")
)
