// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdguard

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThePolicyOfADefinition(t *testing.T) {
	guarded(t)
	for name, tc := range map[string]struct {
		annotation string
		warning    string
	}{
		"Warn": {"roadstead.dev/crd-policy: Warn", "Warning: spec.versions[v1].schema.spec.color: [CRD-"},
		"Off":  {"roadstead.dev/crd-policy: 'Off'", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := create(t, tc.annotation)
			printed := kubectl(t, d.yaml(narrowed, tc.annotation), "apply", "-f", "-")
			assert.False(t, hasColor(t, d))
			if tc.warning == "" {
				assert.NotContains(t, printed, "Warning")
			} else {
				assert.Contains(t, printed, tc.warning)
			}
		})
	}
	t.Run("brought along", func(t *testing.T) {
		d := create(t)
		refused(t, d.yaml(narrowed, "roadstead.dev/crd-policy: 'Off'"), "apply", "-f", "-")
		assert.True(t, hasColor(t, d))
		kubectl(t, d.yaml(sized, "roadstead.dev/crd-policy: 'Off'"), "apply", "-f", "-")
		kubectl(t, d.yaml(narrowed, "roadstead.dev/crd-policy: 'Off'"), "apply", "-f", "-")
		assert.False(t, hasColor(t, d), "an update of its own sets it, and then it counts")
	})
	t.Run("misspelt", func(t *testing.T) {
		d := create(t, "roadstead.dev/crd-policy: warn")
		printed := refused(t, d.yaml(narrowed, "roadstead.dev/crd-policy: warn"), "apply", "-f", "-")
		assert.Contains(t, printed, `is "warn", but must be Deny, Warn or Off; policy Deny applies`)
	})
}
