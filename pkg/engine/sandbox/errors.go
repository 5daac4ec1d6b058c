// SPDX-License-Identifier: Apache-2.0

package sandbox

import "errors"

// Kind says why there is no result. The same request ends in the same way again, except with KindBusy and KindUnavailable.
type Kind string

const (
	// KindTooLarge means that the result has more than MaxResult bytes or MaxObjects objects, or that the request is larger
	// than MaxRequest.
	KindTooLarge Kind = "TooLarge"
	// KindTooSlow means that the work did not end within MaxTime.
	KindTooSlow Kind = "TooSlow"
	// KindOutOfMemory means that the work needs more than MaxMemory.
	KindOutOfMemory Kind = "OutOfMemory"
	// KindCrashed means that the child ended without a result, or sent something else than frames.
	KindCrashed Kind = "Crashed"
	// KindRefused means that the Handler returned an error.
	KindRefused Kind = "Refused"
	// KindBusy means that other work of the same namespace runs.
	KindBusy Kind = "Busy"
	// KindUnavailable means that this machine does not confine a child, or that none can be started.
	KindUnavailable Kind = "Unavailable"
)

// Error is why there is no result.
type Error struct {
	Kind Kind
	// Code is what a Handler said by a *Refusal; only with KindRefused.
	Code string
	// Message is one line. With KindRefused it holds text of the input.
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// KindOf returns the kind of an error of this package, empty for others.
func KindOf(err error) Kind {
	if found, ok := errors.AsType[*Error](err); ok {
		return found.Kind
	}
	return ""
}

// Refusal is an error of a Handler with more than a text for the parent.
type Refusal struct {
	// Code is for the caller of Run, who must not trust it either.
	Code string
	// Text is for people.
	Text string
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }
