// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// asMade returns the record of a domain that was created with the spec, and with Takaro's values
// for fields that the spec does not set.
func asMade(spec *v1alpha1.DomainSpec) *takaro.Domain {
	in := createInput(spec, "ref")
	return &takaro.Domain{ID: "a-b-c", Name: in.Name, ExternalReference: ptr.To(in.ExternalReference), State: in.State,
		MaxGameservers: ptr.Deref(in.MaxGameservers, 1), MaxUsers: ptr.Deref(in.MaxUsers, 1), MaxVariables: ptr.Deref(in.MaxVariables, 10000),
		MaxModules: ptr.Deref(in.MaxModules, 1000), EventRetentionDays: ptr.Deref(in.EventRetentionDays, 7)}
}

func TestDesiredState(t *testing.T) {
	assert.Equal(t, takaro.StateActive, desiredState(&v1alpha1.DomainSpec{}))
	assert.Equal(t, takaro.StateMaintenance, desiredState(&v1alpha1.DomainSpec{MaintenanceMode: true}))
	assert.Equal(t, takaro.StateDisabled, desiredState(&v1alpha1.DomainSpec{Disabled: true}))
}

func TestDesiredLimits(t *testing.T) {
	of := func(servers, users, variables, modules, retention int64) limits {
		return limits{gameServers: &servers, users: &users, variables: &variables, modules: &modules, retention: &retention}
	}
	cases := []struct {
		name    string
		limits  *v1alpha1.DomainLimits
		created bool
		want    limits
	}{
		{"created, none set", nil, true, of(10, 50, 10000, 1000, 7)},
		{"created, one set", &v1alpha1.DomainLimits{MaxUsers: ptr.To[int32](3)}, true, of(10, 3, 10000, 1000, 7)},
		{"created, zero is a limit", &v1alpha1.DomainLimits{MaxGameServers: ptr.To[int32](0)}, true, of(0, 50, 10000, 1000, 7)},
		{"created, the others set", &v1alpha1.DomainLimits{MaxVariables: ptr.To[int32](1), MaxModules: ptr.To[int32](2),
			EventRetentionDays: ptr.To[int32](3)}, true, of(10, 50, 1, 2, 3)},
		{"adopted, none set", nil, false, limits{}},
		{"adopted, one set", &v1alpha1.DomainLimits{MaxModules: ptr.To[int32](4)}, false, limits{modules: ptr.To[int64](4)}},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, desiredLimits(&v1alpha1.DomainSpec{DomainLimits: c.limits}, c.created), c.name)
	}
}

func TestDrift(t *testing.T) {
	spec := v1alpha1.DomainSpec{Name: "arena"}
	cases := []struct {
		name   string
		change func(*takaro.Domain)
		fields []string
	}{
		{"none", func(*takaro.Domain) {}, nil},
		{"name", func(d *takaro.Domain) { d.Name = "other" }, []string{"name"}},
		{"reference taken off", func(d *takaro.Domain) { d.ExternalReference = nil }, []string{"externalReference"}},
		{"reference changed", func(d *takaro.Domain) { d.ExternalReference = ptr.To("x") }, []string{"externalReference"}},
		{"state", func(d *takaro.Domain) { d.State = takaro.StateDisabled }, []string{"state"}},
		{"limits", func(d *takaro.Domain) { d.MaxGameservers, d.MaxUsers = 1, 1 }, []string{"maxGameservers", "maxUsers"}},
		{"limits of the database", func(d *takaro.Domain) { d.MaxModules, d.MaxVariables, d.EventRetentionDays = 5, 6, 8 },
			[]string{"maxVariables", "maxModules", "eventRetentionDays"}},
		{"all", func(d *takaro.Domain) { d.Name, d.ExternalReference, d.State = "x", nil, "NEW" },
			[]string{"name", "externalReference", "state"}},
	}
	for _, c := range cases {
		record := asMade(&spec)
		c.change(record)
		_, fields := drift(&spec, "ref", true, record)
		assert.Equal(t, c.fields, fields, c.name)
	}
	record := asMade(&spec)
	record.MaxUsers = 1
	_, fields := drift(&v1alpha1.DomainSpec{}, "ref", false, record)
	assert.Empty(t, fields, "an adopted domain keeps its name and its limits")
}

// applied returns the record after Takaro applied an update.
func applied(record takaro.Domain, update takaro.DomainUpdate) *takaro.Domain {
	overwrite(&record.Name, update.Name)
	overwrite(&record.State, update.State)
	overwrite(&record.MaxGameservers, update.MaxGameservers)
	overwrite(&record.MaxUsers, update.MaxUsers)
	overwrite(&record.MaxVariables, update.MaxVariables)
	overwrite(&record.MaxModules, update.MaxModules)
	overwrite(&record.EventRetentionDays, update.EventRetentionDays)
	if update.ExternalReference != nil {
		record.ExternalReference = update.ExternalReference
	}
	return &record
}

func overwrite[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

func drawSpec(t *rapid.T) v1alpha1.DomainSpec {
	limit := rapid.OneOf(rapid.Just[*int32](nil), rapid.Map(rapid.Int32Range(0, 3), func(n int32) *int32 { return &n }))
	spec := v1alpha1.DomainSpec{Name: rapid.SampledFrom([]string{"one", "two"}).Draw(t, "name"), Adopt: rapid.Bool().Draw(t, "adopt")}
	if rapid.Bool().Draw(t, "limits") {
		spec.DomainLimits = &v1alpha1.DomainLimits{MaxGameServers: limit.Draw(t, "servers"), MaxUsers: limit.Draw(t, "users"),
			MaxVariables: limit.Draw(t, "variables"), MaxModules: limit.Draw(t, "modules"), EventRetentionDays: limit.Draw(t, "days")}
	}
	spec.MaintenanceMode = rapid.Bool().Draw(t, "maintenance")
	spec.Disabled = !spec.MaintenanceMode && rapid.Bool().Draw(t, "disabled")
	return spec
}

func drawRecord(t *rapid.T) takaro.Domain {
	number := rapid.Int64Range(0, 3)
	return takaro.Domain{ID: "a-b-c", Name: rapid.SampledFrom([]string{"one", "two"}).Draw(t, "name there"),
		ExternalReference: rapid.SampledFrom([]*string{nil, ptr.To("ref"), ptr.To("other")}).Draw(t, "reference"),
		State: rapid.SampledFrom([]takaro.DomainState{takaro.StateActive, takaro.StateDisabled, takaro.StateMaintenance}).Draw(t,
			"state"),
		MaxGameservers: number.Draw(t, "servers there"), MaxUsers: number.Draw(t, "users there"), MaxVariables: number.Draw(t, "variables there"),
		MaxModules: number.Draw(t, "modules there"), EventRetentionDays: number.Draw(t, "days there")}
}

func TestDriftIsPutRightInOneUpdate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, record := drawSpec(t), drawRecord(t)
		created := rapid.Bool().Draw(t, "created")
		update, fields := drift(&spec, "ref", created, &record)
		assert.Equal(t, len(fields) == 0, update == takaro.DomainUpdate{})
		after := applied(record, update)
		_, left := drift(&spec, "ref", created, after)
		assert.Empty(t, left)
		assert.Equal(t, desiredState(&spec), after.State)
		assert.Equal(t, spec.Name, after.Name)
	})
}

func TestWhatIsMadeDoesNotDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		_, fields := drift(&spec, "ref", true, asMade(&spec))
		assert.Empty(t, fields)
	})
}

func TestNarrow(t *testing.T) {
	for value, want := range map[int64]int32{0: 0, -1: -1, 1<<31 - 1: 1<<31 - 1, 1 << 40: 1<<31 - 1, -1 << 40: -1 << 31} {
		assert.Equal(t, want, *narrow(value))
	}
}
