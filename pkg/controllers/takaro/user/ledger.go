// SPDX-License-Identifier: Apache-2.0

package user

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

const (
	// kindUser is the kind of the records of Takaro users in the ledger.
	kindUser = "User"
	// keyPrefix is the prefix of the name under which a user is created, before it gets the name in
	// the spec.
	keyPrefix = "rs-"
)

// createKey returns the name under which the user is created. If the e-mail address is already in
// use, Takaro responds to the create with the existing user and its name. A user with the create
// key was therefore created by Roadstead.
func createKey(user *v1alpha1.User) string {
	sum := sha256.Sum256([]byte(string(user.UID) + "/" + strings.ToLower(user.Spec.Email)))
	return keyPrefix + hex.EncodeToString(sum[:8])
}

func ledgerOf(user *v1alpha1.User) ownership.Ledger {
	if user.Status.Ownership == nil {
		return nil
	}
	return user.Status.Ownership.Records
}

// slotOf returns the slot of the user in the domain with the id. An empty id stands for any domain.
func slotOf(user *v1alpha1.User, domainID string) ownership.Slot {
	return ownership.Slot{Kind: kindUser, Key: ledgerOf(user).Key(kindUser, createKey(user)), Parent: domainID}
}

// heldID returns the id of the user that is held in any domain, or "" if none is.
func heldID(user *v1alpha1.User) string {
	record, _ := ledgerOf(user).Current(slotOf(user, ""))
	return record.ID
}

// intended reports whether the result of a create is not recorded yet.
func intended(user *v1alpha1.User) bool {
	record, current := ledgerOf(user).Current(slotOf(user, ""))
	return current && record.State == ownership.Intended
}

// recorded reports whether there may be a user in Takaro that the User owns.
func recorded(user *v1alpha1.User) bool {
	if user.Status.Ownership == nil {
		return user.Status.UserID != ""
	}
	return len(user.Status.Ownership.Records) > 0
}

func wantOf(a *attempt) ownership.Want {
	want := ownership.Want{
		Slot: slotOf(a.user, a.place.DomainID), Delete: a.user.DeletionTimestamp != nil, Policy: ownership.PolicyDelete,
		Adopt: a.user.Spec.Adopt, Name: strings.ToLower(a.user.Spec.Email), AnyReference: true,
	}
	if a.user.Spec.DeletionPolicy == v1alpha1.UserDeletionPolicyRetain {
		want.Policy = ownership.PolicyRetain
	}
	return want
}
