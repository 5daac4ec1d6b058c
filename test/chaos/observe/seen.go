// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"slices"
	"time"

	"roadstead.dev/roadstead/test/chaos/check"
)

// aftermath returns how long objects may still report what was true before the last lapse.
func (o *Observer) aftermath() time.Duration {
	return time.Until(o.outside().Lapses.Last().Add(check.Aftermath))
}

// note records the outside object with which an owner was Ready.
func (o *Observer) note(object suspect) {
	if object.OutsideID == "" {
		return
	}
	owner := object.Key.String() + " (UID " + object.UID + ")"
	o.mu.Lock()
	o.seen[owner] = append(o.seen[owner], check.Seen{ID: object.OutsideID, At: object.at})
	seen := slices.Clone(o.seen[owner])
	o.mu.Unlock()
	o.report(check.Replaced(owner, seen, o.outside().Lapses))
}
