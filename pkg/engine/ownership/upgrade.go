// SPDX-License-Identifier: Apache-2.0

package ownership

import "time"

// Legacy is what the status of a release without a ledger contains about one outside object.
type Legacy struct {
	// ID is the recorded ID.
	ID string
	// Proved is set if something outside of the status shows that Roadstead created the object, for
	// example a Secret with its root login that this API object controls.
	Proved bool
}

// Import returns the ledger with a record for the legacy ID, if the object with that ID exists at a
// verified endpoint and has Roadstead's reference or the name in the spec. Otherwise it returns the
// ledger unchanged, and Decide uses key and name. Import is called once, before Decide, while
// status.ownership is absent. Callers pass a key that an earlier release generated in want.Key.
func Import(l Ledger, want Want, legacy Legacy, object *Object, now time.Time) Ledger {
	if legacy.ID == "" || object == nil || object.ID != legacy.ID {
		return l
	}
	generated := object.Reference == want.Key
	if !generated && (want.Name == "" || object.Name != want.Name) {
		return l
	}
	origin := Found
	if generated || legacy.Proved {
		origin = Created
	}
	return l.Hold(want.Slot, legacy.ID, origin, now)
}
