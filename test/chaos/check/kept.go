// SPDX-License-Identifier: Apache-2.0

package check

import "roadstead.dev/roadstead/test/fakes/takaro"

// The deletion policies with which a domain stays in Takaro.
const (
	Retain  = "Retain"
	Disable = "Disable"
)

// Kept returns violations for domains that do not exist, or are not disabled, contrary to the
// deletion policy of their Domain. A domain that is left over from an interrupted create was never
// used, and may be deleted.
func Kept(ended []Ended, outside Outside) []Violation {
	var found []Violation
	for _, one := range ended {
		if one.Key.Kind != Domain || one.OutsideID == "" || one.Unused || one.Policy != Retain && one.Policy != Disable {
			continue
		}
		domain := find(outside.Domains, one.OutsideID)
		switch {
		case domain == nil && outside.Lapses.Lost(one.OutsideID, outside.Lapses.Last()):
		case domain == nil:
			found = append(found, breach(Discarded, "Takaro domain %s of %s was deleted, and the deletion policy was %s",
				one.OutsideID, one.Key, one.Policy))
		case one.Policy == Disable && domain.State != takaro.StateDisabled && outside.Lapses.Last().Add(Aftermath).Before(one.At):
			found = append(found, breach(Discarded, "Takaro domain %s of %s is %s, and the deletion policy was %s",
				one.OutsideID, one.Key, domain.State, one.Policy))
		}
	}
	return found
}
