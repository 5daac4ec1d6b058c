// SPDX-License-Identifier: Apache-2.0

package ownership

import "time"

// Policy determines what happens to the outside object when the API object is deleted.
type Policy string

const (
	// PolicyDelete deletes the outside object. It is the default.
	PolicyDelete Policy = "Delete"
	// PolicyRetain keeps the outside object unchanged.
	PolicyRetain Policy = "Retain"
	// PolicyDisable keeps the outside object and disables it.
	PolicyDisable Policy = "Disable"
)

// Want is the desired state of the API object.
type Want struct {
	Slot
	// Delete selects the column: the outside object must be deleted according to Policy, or else ensured.
	Delete bool
	// Policy applies if Delete is set.
	Policy Policy
	// Adopt allows the adoption of an existing object with the Name.
	Adopt bool
	// Name is the name in the spec of an object that may already exist: a typed reference, an e-mail
	// address, the name of a release. It is empty if the spec names none.
	Name string
	// Retained is the reference that replaces the create key for PolicyRetain and PolicyDisable, so
	// that the object can be adopted later. It is empty for kinds without such a reference.
	Retained string
	// AnyReference is set if the reference proves nothing after the create, because Roadstead or
	// users change it: the name of a user. FoundMoved is not checked then.
	AnyReference bool
	// LetGo is the command that ends the deletion and keeps the outside object. It is part of the
	// messages about a deletion that waits.
	LetGo string
}

// references reports whether a held object may have the reference.
func (w Want) references(reference string) bool {
	return w.AnyReference || reference == "" || reference == w.Key ||
		w.Name != "" && reference == w.Name || w.Retained != "" && reference == w.Retained
}

// Endpoint is the known state of the outside system.
type Endpoint struct {
	// Name is the name of the outside system in messages, for example "Takaro at https://takaro.example".
	Name string
	// Verified is set if the identity of the outside system was verified to be the recorded one, and
	// this process may write to it. Nothing is written otherwise.
	Verified bool
	// Reason and Message describe why it is not verified, and what ends that.
	Reason, Message string
	// LeaderSince is when this process became the leader. Requests of an earlier leader may be in
	// progress for FenceGrace after that. Nothing is removed while it is the zero value.
	LeaderSince time.Time
	// VanishedHold is the command that releases a hold on vanished objects that covers this object,
	// and DeletionHold the command that releases a hold on deletions. They are empty without a hold.
	VanishedHold, DeletionHold string
}
