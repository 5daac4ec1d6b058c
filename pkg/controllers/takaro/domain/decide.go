// SPDX-License-Identifier: Apache-2.0

package domain

// action is what to do about the Takaro side of a Domain.
type action string

const (
	// keep what was found: it is ours.
	keep action = "keep"
	// adopt what was found, as the spec asks.
	adopt action = "adopt"
	// refuse: what was found is somebody else's.
	refuse action = "refuse"
	// create a domain; there is none.
	create action = "create"
	// remake removes the remains of an interrupted create and creates anew.
	remake action = "remake"
	// incomplete: the remains of an interrupted create carry a reference that the user typed; a person decides.
	incomplete action = "incomplete"
	// await: there is nothing to adopt yet.
	await action = "await"
)

// findings is all that the decision depends on.
type findings struct {
	// typed: the user chose the reference; adopting: spec.adopt.
	typed, adopting bool
	// known: the status holds a Takaro id. recorded: the status holds the reference, which is written only before a
	// create of ours or at adoption; so a domain found under a recorded reference is ours.
	known, recorded bool
	// foundByID and foundByReference tell where a domain was found; the second is looked for only without the first.
	foundByID, foundByReference bool
	// rootStored: the root password of the found domain is in its Secret.
	rootStored bool
	// hasRoot: the found domain has a root user. Only asked where it matters: see decide.
	hasRoot bool
}

// decide is a pure function of what was found. hasRoot only counts where a typed reference was found in an unfinished
// create.
func decide(f findings) action {
	if f.foundByID {
		return keep
	}
	if !f.foundByReference {
		if f.adopting {
			return await
		}
		return create
	}
	// A domain under our reference, though not under a known id.
	switch {
	case f.known:
		return keep
	case !f.typed && f.recorded && !f.rootStored:
		return remake
	case !f.typed:
		// Nothing recorded: the status was lost, and the domain may long be in use.
		return keep
	case f.recorded && (f.rootStored || f.hasRoot):
		return keep
	case f.recorded && !f.adopting:
		return incomplete
	case f.adopting:
		return adopt
	default:
		return refuse
	}
}
