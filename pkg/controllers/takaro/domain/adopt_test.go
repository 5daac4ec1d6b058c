// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func unnamed(d *v1alpha1.Domain) { d.Spec.Name = "" }

func TestAdoptedDomainKeepsItsName(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.Takaro.PlantDomain(standin.Seed{Name: "production", ExternalReference: "theirs", MaxUsers: 3})
	require.NoError(t, err)
	w.addDomain(withReference("theirs"), adopting, unnamed)
	controller := w.controller(w.Store)
	w.Settle(controller)
	w.requireReady()
	assert.Equal(t, "production", w.Takaro.Domains()[0].Name)
	w.Edit(func(d *v1alpha1.Domain) { d.Spec.Name = "written" })
	w.Settle(controller)
	assert.Equal(t, "written", w.Takaro.Domains()[0].Name)
	w.Edit(func(d *v1alpha1.Domain) { d.Spec.Adopt = false })
	w.Settle(controller)
	assert.Equal(t, 3, w.Takaro.Domains()[0].MaxUsers, "it stays an adopted domain")
}

// The domain was created before spec.adopt was set.
func TestCreatedDomainKeepsItsDefaults(t *testing.T) {
	w := newWorld(t)
	w.addDomain(withReference("mine"))
	controller := w.controller(w.Store)
	w.Settle(controller)
	w.Edit(adopting)
	w.Settle(controller)
	w.requireReady()
	w.change(w.ids()[0], `{"maxUsers":1}`)
	w.Settle(w.controller(w.Store))
	assert.Equal(t, 50, w.Takaro.Domains()[0].MaxUsers)
}

func TestRemovedLimitsReturnToTheirDefaults(t *testing.T) {
	w := newWorld(t)
	one := ptr.To[int32](1)
	w.addDomain(func(d *v1alpha1.Domain) {
		d.Spec.DomainLimits = &v1alpha1.DomainLimits{
			MaxGameServers: one, MaxUsers: one, MaxVariables: one, MaxModules: one, EventRetentionDays: one,
		}
	})
	controller := w.controller(w.Store)
	w.Settle(controller)
	assert.Equal(t, w.Object().Spec.DomainLimits, w.Object().Status.ObservedLimits)
	w.Edit(func(d *v1alpha1.Domain) { d.Spec.DomainLimits = nil })
	w.Settle(controller)
	assert.Equal(t, &v1alpha1.DomainLimits{MaxGameServers: ptr.To[int32](10), MaxUsers: ptr.To[int32](50), MaxVariables: ptr.To[int32](10000),
		MaxModules: ptr.To[int32](1000), EventRetentionDays: ptr.To[int32](7)}, w.requireReady().Status.ObservedLimits)
}
