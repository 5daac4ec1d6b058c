// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"errors"
	"time"
)

// Kind says what an error means for the caller.
type Kind string

const (
	// KindUnreachable means no answer, one that broke off, or one that says "later". The only kind to try again soon.
	KindUnreachable Kind = "Unreachable"
	// KindRefused means that the address may not be dialled; see package netguard.
	KindRefused Kind = "Refused"
	// KindUnauthorized means 401 or 403. Nothing changes before the credentials or the repository's rules do.
	KindUnauthorized Kind = "Unauthorized"
	// KindNotFound means that there is no such repository, chart or version; Error.Missing tells which. It may come into being.
	KindNotFound Kind = "NotFound"
	// KindDigestMismatch means that what came is not what the index or the manifest says.
	KindDigestMismatch Kind = "DigestMismatch"
	// KindTooLarge means that an index, an archive, or what it unpacks to is larger than what is read.
	KindTooLarge Kind = "TooLarge"
	// KindInvalid means that the URL, an answer or the archive is not what it should be; the message says why.
	KindInvalid Kind = "Invalid"
	// KindUnrenderable means that the chart is fine, and its templates fail with these values.
	KindUnrenderable Kind = "Unrenderable"
)

// Missing is what was not found.
type Missing string

// What may be missing.
const (
	MissingRepository Missing = "repository"
	MissingChart      Missing = "chart"
	MissingVersion    Missing = "version"
)

// Error is what every function of a Client fails with, except when the caller's context ends. Its text is steady (the same
// failure reads the same again) and holds status and code of an answer, never a body, and no credentials.
type Error struct {
	Kind    Kind
	Missing Missing // with KindNotFound
	// Repository is the URL as the caller gave it; empty where that is not known to be free of a password.
	Repository string
	// Status is the HTTP status of an answer, or 0. Code is what an OCI registry adds, such as NAME_UNKNOWN.
	Status  int
	Code    string
	Message string
	// RetryAfter is what the answer asked for, an hour at most; 0 when it asked for nothing.
	RetryAfter time.Duration
	Err        error
}

// Error names the repository and says what went wrong.
func (e *Error) Error() string {
	if e.Repository == "" {
		return e.Message
	}
	return "chart repository " + e.Repository + ": " + e.Message
}

// Unwrap gives the cause, whose text is not for users: a *netguard.RefusedError, a *net.DNSError …
func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of an error of this package, and empty for others.
func KindOf(err error) Kind {
	if found, ok := errors.AsType[*Error](err); ok {
		return found.Kind
	}
	return ""
}

// Outside reports that the repository, or what it serves, caused the error, and not this program.
func (*Error) Outside() bool { return true }
