// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"fmt"
	"strings"
)

// Reasons of a RefusedError.
const (
	// ReasonMissing means that the Secret does not exist.
	ReasonMissing = "SecretMissing"
	// ReasonReplaced means that the Secret lacks a value that is in use, or is invalid.
	ReasonReplaced = "SecretReplaced"
)

// RefusedError reports that a value which is in use is missing, so that the process cannot use the Secret.
type RefusedError struct {
	// Reason is ReasonMissing or ReasonReplaced.
	Reason string
	// Message describes in full sentences what is missing and what to do.
	Message string
}

// Error implements error.
func (e *RefusedError) Error() string { return e.Reason + ": " + e.Message }

// refusal returns the error for a Secret that lacks values which are in use. unproved is the
// reason why this is only assumed.
func (k *Keeper) refusal(found observed, unproved error) error {
	refused := &RefusedError{Reason: ReasonReplaced}
	secret := fmt.Sprintf("Secret %q", k.namespace+"/"+k.spec.Name)
	switch found.content {
	case absent:
		refused.Reason = ReasonMissing
		refused.Message = secret + " not found."
	case invalid:
		refused.Message = fmt.Sprintf("%s is invalid: %v.", secret, found.err)
	default:
		refused.Message = secret + " lacks values that are in use."
	}
	if len(found.lost) > 0 {
		refused.Message += fmt.Sprintf(" Fingerprints of the missing values: %s.", list(found.lost))
	}
	if unproved != nil {
		refused.Message += fmt.Sprintf(" Whether the values are in use could not be determined: %v.", unproved)
	}
	refused.Message += " Restore the Secret from a backup. " + k.spec.Loss
	return refused
}

// list joins fingerprints for a message, and shortens a long list.
func list(prints []string) string {
	const most = 5
	if len(prints) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(prints[:most], ", "), len(prints)-most)
	}
	return strings.Join(prints, ", ")
}
