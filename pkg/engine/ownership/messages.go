// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"cmp"
	"fmt"
	"strings"
)

// LedgerNotKept returns the decision after Ledger.Keeps returned false. No request may be sent.
func LedgerNotKept(d Decision) Decision {
	return Decision{Row: d.Row, Found: d.Found, Verdict: Wait, Key: d.Key, Ledger: d.Ledger, Reason: ReasonLedgerNotKept, After: pause,
		Message: "The API server did not store status.ownership, so nothing is created or deleted. Check that --controller-user of the API " +
			"server names the user of this controller, and that the API server is not older than the controller."}
}

func (c choice) system() string { return c.endpoint.system() }

func (e Endpoint) system() string { return cmp.Or(e.Name, "the outside system") }

// letGo appends the command that ends the deletion, so that a deletion never depends on the outside system.
func (c choice) letGo(message string) string {
	if !c.want.Delete || c.want.LetGo == "" {
		return message
	}
	// If the message ends with a command, the sentence must be separated from it.
	to := "; to"
	if strings.HasSuffix(message, ".") {
		to = " To"
	}
	return fmt.Sprintf("%s%s end the deletion without changing %s, run: %s", message, to, c.system(), c.want.LetGo)
}

func (u unclear) message(c choice) string {
	list := c.observed.List
	switch u {
	case shortList:
		return fmt.Sprintf("The search in %s returned %d of %d rows. It is repeated every minute until it is complete.",
			c.system(), list.Rows, list.Total)
	case notRead:
		return fmt.Sprintf("%s %q is missing in the list of %s, and whether it exists could not be read. "+
			"The read is repeated every minute until it is answered.", c.want.Kind, c.record.ID, c.system())
	case notListed:
		return fmt.Sprintf("The list of %s lacks a %s that exists. The search is repeated every minute until the answers agree.",
			c.system(), c.want.Kind)
	case notFound:
		return fmt.Sprintf("%s lists a %s that it then does not find by its id. The search is repeated every minute until the answers agree.",
			c.system(), c.want.Kind)
	case twice:
		return fmt.Sprintf("Two objects of kind %s in %s carry the key %q. Delete the one that is not in use.",
			c.want.Kind, c.system(), c.want.Key)
	}
	return fmt.Sprintf("%s could not be searched for %s %q. The search is repeated every minute until it is answered.",
		c.system(), c.want.Kind, c.want.Key)
}

func (c choice) referenceChanged() string {
	ours := c.want.Key
	if c.want.Name != "" {
		ours = c.want.Name
	}
	return fmt.Sprintf("%s %q in %s now carries the reference %q, which Roadstead did not set. "+
		"To return it to this object, change its reference to %q.", c.want.Kind, c.object.ID, c.system(), c.object.Reference, ours)
}

func (c choice) vanished() string {
	message := fmt.Sprintf("%s %q no longer exists in %s.", c.want.Kind, c.record.ID, c.system())
	if c.endpoint.VanishedHold != "" {
		return fmt.Sprintf("%s Other objects no longer exist either, so none is recreated. Restore the data of %s, or, to recreate them, run: %s",
			message, c.system(), c.endpoint.VanishedHold)
	}
	return fmt.Sprintf("%s A new one is created if it is still missing after %s.", message, VanishedWindow)
}

func (c choice) taken() string {
	return fmt.Sprintf("%s %q in %s has the name %q and was not created by Roadstead for this object. "+
		"Choose another name, or set spec.adopt to true.", c.want.Kind, c.object.ID, c.system(), c.want.Name)
}

func (c choice) nothingToAdopt() string {
	return fmt.Sprintf("No %s with the name %q exists in %s. Create it there, correct the name, or set spec.adopt to false.",
		c.want.Kind, c.want.Name, c.system())
}

func (c choice) createUnclear() string {
	return fmt.Sprintf("A create of %s %q in %s was sent and may still take effect. This ends %s after the request.",
		c.want.Kind, c.want.Key, c.system(), CreateWindow)
}

func (c choice) interruptedCreate() string {
	return fmt.Sprintf("%s %q in %s was left by an interrupted create, without the data that only a create returns. "+
		"It is removed and recreated %s after the create.", c.want.Kind, c.object.ID, c.system(), removalAge(c.record.Tries))
}

// DeletionHeld returns the decision about a deletion that Endpoint.DeletionHold holds, before
// anything is read. The contents of the object must not be deleted either.
func DeletionHeld(want Want, endpoint Endpoint) Decision {
	return choice{want: want, endpoint: endpoint}.deletionHeld(rowOwned)
}

func (c choice) heldDeletion() string {
	return fmt.Sprintf("More objects are being deleted from %s than is allowed without confirmation. To confirm, run: %s",
		c.system(), c.endpoint.DeletionHold)
}

func (c choice) notProved() string {
	return fmt.Sprintf("%s %q in %s was left as it is: nothing proves that Roadstead created it.", c.want.Kind, c.object.ID, c.system())
}

func (c choice) notRecorded() string {
	return fmt.Sprintf("%s %q in %s was left as it is: the status does not record it.", c.want.Kind, c.object.ID, c.system())
}
