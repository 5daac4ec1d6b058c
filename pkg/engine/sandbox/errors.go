// SPDX-License-Identifier: Apache-2.0

package sandbox

import "errors"

// Kind is the reason why there is no result. Except for KindBusy and KindUnavailable, the same request fails in the same way again.
type Kind string

const (
	// KindTooLarge means that the result has more than MaxResult bytes or MaxObjects objects, or that the request is larger
	// than MaxRequest.
	KindTooLarge Kind = "TooLarge"
	// KindTooSlow means that the work did not end within MaxTime.
	KindTooSlow Kind = "TooSlow"
	// KindOutOfMemory means that the work needs more than MaxMemory.
	KindOutOfMemory Kind = "OutOfMemory"
	// KindCrashed means that the child ended without a result, or sent invalid frames.
	KindCrashed Kind = "Crashed"
	// KindRefused means that the Handler returned an error.
	KindRefused Kind = "Refused"
	// KindBusy means that other work of the same namespace is running.
	KindBusy Kind = "Busy"
	// KindUnavailable means that this machine cannot confine a child, or cannot start one.
	KindUnavailable Kind = "Unavailable"
)

// Error is the reason why there is no result.
type Error struct {
	Kind Kind
	// Code is the code of a *Refusal of the Handler; only for KindRefused.
	Code string
	// Message is a single line. For KindRefused it contains text of the input.
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

// Refusal is an error of a Handler with a code.
type Refusal struct {
	// Code is intended for the caller of Run, which must not trust it.
	Code string
	// Text is the message for users.
	Text string
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }
