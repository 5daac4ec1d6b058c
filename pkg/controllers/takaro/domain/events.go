// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
)

// Reasons of events. Problems are reported with the reason of the condition Ready.
const (
	eventCreated        = "DomainCreated"
	eventAdopted        = "DomainAdopted"
	eventVanished       = "DomainVanished"
	eventRegained       = "DomainRegained"
	eventRemainsRemoved = "RemainsRemoved"
	eventDriftCorrected = "DriftCorrected"
	eventDeleted        = "DomainDeleted"
	eventDisabled       = "DomainDisabled"
	eventLeftInTakaro   = "LeftInTakaro"
)

var (
	domainsCreated = counts.Created.WithLabelValues("Domain")
	domainsDeleted = counts.Deleted.WithLabelValues("Domain")
)
