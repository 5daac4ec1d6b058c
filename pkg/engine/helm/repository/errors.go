// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"errors"
	"time"
)

// Kind classifies errors for the caller.
type Kind string

const (
	// KindUnreachable means that there was no complete response, or one that requests a retry. Only this kind is worth retrying soon.
	KindUnreachable Kind = "Unreachable"
	// KindRefused means that the address must not be dialed; see package netguard.
	KindRefused Kind = "Refused"
	// KindUnauthorized means 401 or 403. A retry fails until the credentials or the permissions of the repository change.
	KindUnauthorized Kind = "Unauthorized"
	// KindNotFound means that the repository, chart or version does not exist; see Error.Missing. It may be added later.
	KindNotFound Kind = "NotFound"
	// KindDigestMismatch means that the content does not have the digest in the index or manifest.
	KindDigestMismatch Kind = "DigestMismatch"
	// KindTooLarge means that an index, an archive, or its unpacked content exceeds the maximum size.
	KindTooLarge Kind = "TooLarge"
	// KindInvalid means that the URL, a response or the archive is invalid; the message contains the reason.
	KindInvalid Kind = "Invalid"
	// KindUnrenderable means that the chart is valid, but its templates fail with these values.
	KindUnrenderable Kind = "Unrenderable"
)

// Missing is the object that was not found.
type Missing string

// The values of Missing.
const (
	MissingRepository Missing = "repository"
	MissingChart      Missing = "chart"
	MissingVersion    Missing = "version"
)

// Error is the error of every function of a Client, except if the caller's context ends. Its text is stable (repeated
// failures have the same text). It contains the status and code of a response, but no body and no credentials.
type Error struct {
	Kind    Kind
	Missing Missing // set for KindNotFound
	// Repository is the URL from the caller; empty if it may contain a password.
	Repository string
	// Status is the HTTP status of a response, or 0. Code is the error code of an OCI registry, such as NAME_UNKNOWN.
	Status  int
	Code    string
	Message string
	// RetryAfter is the wait that the response requested, at most an hour; 0 if it requested none.
	RetryAfter time.Duration
	Err        error
}

// Error returns the repository and the message.
func (e *Error) Error() string {
	if e.Repository == "" {
		return e.Message
	}
	return "chart repository " + e.Repository + ": " + e.Message
}

// Unwrap returns the cause, whose text is not for users: a *netguard.RefusedError, a *net.DNSError …
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of an error of this package, or "" for other errors.
func KindOf(err error) Kind {
	if found, ok := errors.AsType[*Error](err); ok {
		return found.Kind
	}
	return ""
}

// Outside reports that the repository or its content caused the error, and not this program.
func (*Error) Outside() bool { return true }
