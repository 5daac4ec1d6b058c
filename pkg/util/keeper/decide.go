// SPDX-License-Identifier: Apache-2.0

package keeper

// content is the content of the Secret.
type content int

const (
	absent content = iota
	// invalid: there is a Secret whose values cannot be used.
	invalid
	valid
)

// dependents reports whether anything depends on the values.
type dependents int

const (
	unknown dependents = iota
	none
	some
)

// facts are what a decision depends on.
type facts struct {
	content content
	// lacks reports that the Secret lacks a value that is needed: recorded, remembered or required.
	lacks bool
	// remembered reports that a needed value which the Secret lacks is in the memory of this process.
	remembered bool
	dependents dependents
	// generates and replaceable are those of the Spec.
	generates   bool
	replaceable bool
}

// action is what to do with the Secret.
type action int

const (
	// refuse is the zero value, so that nothing is done unless a rule allows it.
	refuse action = iota
	// use the values of the Secret, none if it does not exist.
	use
	// restore the missing values from memory.
	restore
	// generate new values.
	generate
)

// decide returns what to do with the Secret. The first matching rule counts.
func decide(f facts) action {
	unused := f.dependents == none
	switch {
	case f.content == valid && !f.lacks:
		return use
	case f.remembered:
		return restore
	case f.content == absent && !f.generates && (unused || !f.lacks):
		return use
	case f.content == absent && unused:
		return generate
	case f.content == valid && unused:
		return use
	case f.replaceable && f.generates:
		return generate
	default:
		return refuse
	}
}
