// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Default limits of a domain that Roadstead created. For game servers and users Takaro's own
// default is 1, which is too few for a test environment. The others are the defaults of Takaro's
// database.
const (
	defaultMaxGameServers     = 10
	defaultMaxUsers           = 50
	defaultMaxVariables       = 10000
	defaultMaxModules         = 1000
	defaultEventRetentionDays = 7
)

// fieldReference is the name of the reference in Takaro's API.
const fieldReference = "externalReference"

// desiredState returns the state that the spec specifies.
func desiredState(spec *v1alpha1.DomainSpec) takaro.DomainState {
	switch {
	case spec.MaintenanceMode:
		return takaro.StateMaintenance
	case spec.Disabled:
		return takaro.StateDisabled
	default:
		return takaro.StateActive
	}
}

// limits are desired limits. A nil limit is not changed.
type limits struct {
	gameServers, users, variables, modules, retention *int64
}

// desiredLimits returns the limits in the spec and, for a domain that Roadstead created, the
// defaults for the others. A limit that is removed from the spec is therefore reset to its default.
func desiredLimits(spec *v1alpha1.DomainSpec, created bool) limits {
	set := spec.DomainLimits
	if set == nil {
		set = &v1alpha1.DomainLimits{}
	}
	wanted := limits{
		gameServers: widen(set.MaxGameServers),
		users:       widen(set.MaxUsers),
		variables:   widen(set.MaxVariables),
		modules:     widen(set.MaxModules),
		retention:   widen(set.EventRetentionDays),
	}
	if created {
		wanted.gameServers = orDefault(wanted.gameServers, defaultMaxGameServers)
		wanted.users = orDefault(wanted.users, defaultMaxUsers)
		wanted.variables = orDefault(wanted.variables, defaultMaxVariables)
		wanted.modules = orDefault(wanted.modules, defaultMaxModules)
		wanted.retention = orDefault(wanted.retention, defaultEventRetentionDays)
	}
	return wanted
}

func widen(value *int32) *int64 {
	if value == nil {
		return nil
	}
	wide := int64(*value)
	return &wide
}

func orDefault(value *int64, fallback int64) *int64 {
	if value == nil {
		return &fallback
	}
	return value
}

// createInput returns the request body that creates a domain.
func createInput(spec *v1alpha1.DomainSpec, reference string) takaro.DomainInput {
	wanted := desiredLimits(spec, true)
	return takaro.DomainInput{
		Name:               spec.Name,
		ExternalReference:  reference,
		State:              desiredState(spec),
		MaxGameservers:     wanted.gameServers,
		MaxUsers:           wanted.users,
		MaxVariables:       wanted.variables,
		MaxModules:         wanted.modules,
		EventRetentionDays: wanted.retention,
	}
}

// driftOf calls drift for the owned domain of an object.
func driftOf(domain *v1alpha1.Domain, record *takaro.Domain) (takaro.DomainUpdate, []string) {
	known, _ := current(domain)
	return drift(&domain.Spec, wantedReference(domain, known.Key), known.Origin == ownership.Created, record)
}

// drift returns the update that Takaro needs and the names of the changed fields. There are no
// names if no update is needed. created is set if Roadstead created the domain. An adopted domain
// keeps its name if the spec has none.
func drift(spec *v1alpha1.DomainSpec, reference string, created bool, record *takaro.Domain) (takaro.DomainUpdate, []string) {
	var update takaro.DomainUpdate
	var fields []string
	if spec.Name != "" && record.Name != spec.Name {
		update.Name = &spec.Name
		fields = append(fields, "name")
	}
	if record.ExternalReference == nil || *record.ExternalReference != reference {
		update.ExternalReference = &reference
		fields = append(fields, fieldReference)
	}
	if state := desiredState(spec); record.State != state {
		update.State = &state
		fields = append(fields, "state")
	}
	wanted := desiredLimits(spec, created)
	for _, limit := range []struct {
		name     string
		wanted   *int64
		observed int64
		set      **int64
	}{
		{"maxGameservers", wanted.gameServers, record.MaxGameservers, &update.MaxGameservers},
		{"maxUsers", wanted.users, record.MaxUsers, &update.MaxUsers},
		{"maxVariables", wanted.variables, record.MaxVariables, &update.MaxVariables},
		{"maxModules", wanted.modules, record.MaxModules, &update.MaxModules},
		{"eventRetentionDays", wanted.retention, record.EventRetentionDays, &update.EventRetentionDays},
	} {
		if limit.wanted != nil && *limit.wanted != limit.observed {
			*limit.set = limit.wanted
			fields = append(fields, limit.name)
		}
	}
	return update, fields
}

// observedLimits converts Takaro's limits for the status.
func observedLimits(record *takaro.Domain) *v1alpha1.DomainLimits {
	return &v1alpha1.DomainLimits{
		MaxGameServers:     narrow(record.MaxGameservers),
		MaxUsers:           narrow(record.MaxUsers),
		MaxVariables:       narrow(record.MaxVariables),
		MaxModules:         narrow(record.MaxModules),
		EventRetentionDays: narrow(record.EventRetentionDays),
	}
}

// narrow clamps a value to 32 bits. Takaro's columns are 32-bit integers, so only invalid values
// are changed.
func narrow(value int64) *int32 {
	cut := int32(min(max(value, -1<<31), 1<<31-1))
	return &cut
}
