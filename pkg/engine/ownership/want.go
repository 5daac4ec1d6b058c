// SPDX-License-Identifier: Apache-2.0

package ownership

import "time"

// Policy is what becomes of the outside object when the API object is deleted.
type Policy string

const (
	// PolicyDelete deletes the outside object. It is the default.
	PolicyDelete Policy = "Delete"
	// PolicyRetain leaves the outside object as it is.
	PolicyRetain Policy = "Retain"
	// PolicyDisable leaves the outside object, disabled.
	PolicyDisable Policy = "Disable"
)

// Want is what the API object asks for.
type Want struct {
	Slot
	// Delete selects the column: the outside object is to be deleted by Policy, or else ensured.
	Delete bool
	// Policy applies if Delete is set.
	Policy Policy
	// Adopt allows to take over an existing object with the Name.
	Adopt bool
	// Name is what the spec calls an object that may exist before: a typed reference, an e-mail
	// address, the name of a release. It is empty if the spec names none.
	Name string
	// Retained is the reference by which PolicyRetain and PolicyDisable replace the create key,
	// so that the object may be adopted later. It is empty for kinds without such a reference.
	Retained string
	// AnyReference reports that the reference proves nothing after the create, because Roadstead
	// or users change it: the name of a user. FoundMoved is not tried then.
	AnyReference bool
	// LetGo is the command that ends the deletion and leaves the outside object. It is part of
	// the messages about a deletion that waits.
	LetGo string
}

// references reports whether a held object may answer under the reference.
func (w Want) references(reference string) bool {
	return w.AnyReference || reference == "" || reference == w.Key ||
		w.Name != "" && reference == w.Name || w.Retained != "" && reference == w.Retained
}

// Endpoint is what is known of the outside system.
type Endpoint struct {
	// Name names the outside system in messages, for example "Takaro at https://takaro.example".
	Name string
	// Verified reports that the identity of the outside system was checked and is the recorded
	// one, and that this process may write there. Nothing is written otherwise.
	Verified bool
	// Reason and Message say why it is not verified, and what ends that.
	Reason, Message string
	// LeaderSince is when this process became the leader. What an earlier leader began may be
	// under way for FenceGrace after that. Nothing is removed while it is the zero value.
	LeaderSince time.Time
	// VanishedHold is the command that releases a hold on vanished objects which covers this one,
	// and DeletionHold that of a hold on deletions. They are empty without such a hold.
	VanishedHold, DeletionHold string
}
