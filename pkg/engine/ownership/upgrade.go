// SPDX-License-Identifier: Apache-2.0

package ownership

import "time"

// Legacy is what the status of a release without a ledger holds of one outside object.
type Legacy struct {
	// ID is the recorded id.
	ID string
	// Proved reports that something outside the status shows that Roadstead created the object,
	// for example a Secret with its root login that this API object controls.
	Proved bool
}

// Import returns the ledger with a record for the legacy id, if object, which answers under that
// id at a verified endpoint, carries Roadstead's reference or the name in the spec. Otherwise the
// ledger is returned as it is, and Decide finds out by key and name. Import is called once,
// before Decide, while status.ownership is absent. A key that an earlier release generated is
// passed in want.Key.
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
