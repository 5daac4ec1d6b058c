// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
)

// holdIdentity is the label value for TakaroEndpoints whose identity a user must accept.
const holdIdentity = "Identity"

// publish sets the metric of held names. The caller must hold mu.
func (k *Keeper) publish() {
	for _, kind := range kinds {
		installation, tenant := 0, 0
		for at, known := range k.endpoints {
			if count := len(known.verdicts[kind.name].held); at.Namespace == k.Namespace {
				installation += count
			} else {
				tenant += count
			}
		}
		hold.Set(string(kind.name), hold.ScopeInstallation, installation)
		hold.Set(string(kind.name), hold.ScopeTenant, tenant)
	}
	installation, tenant := 0, 0
	for at, s := range k.sights {
		switch {
		case !waitsForPerson(s.decision.State):
		case at.Namespace == k.Namespace:
			installation++
		default:
			tenant++
		}
	}
	hold.Set(holdIdentity, hold.ScopeInstallation, installation)
	hold.Set(holdIdentity, hold.ScopeTenant, tenant)
}
