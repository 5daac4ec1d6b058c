// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// TooLargeError says that a file, or a chart unpacked, is larger than what is read of one.
type TooLargeError struct{ message string }

// Error says what is too large, and what the limit is.
func (e *TooLargeError) Error() string { return e.message }

// UnsafeError says that an archive holds what no honest chart holds: names that lead out of it, or links.
type UnsafeError struct{ message string }

// Error names the entry of the archive.
func (e *UnsafeError) Error() string { return e.message }

// RenderError says that the templates of a chart fail with the values that are given.
type RenderError struct {
	hint string
	err  error
}

// Error says which template failed and why, and how values are given.
func (e *RenderError) Error() string {
	return fmt.Sprintf("it cannot be rendered (give what it needs %s): %v", e.hint, e.err)
}

// Unwrap gives Helm's error.
func (e *RenderError) Unwrap() error { return e.err }

func tooLarge(name string) error {
	return &TooLargeError{fmt.Sprintf("%s: it is larger than %d MiB", name, MaxFile>>20)}
}

func chartTooLarge() error {
	return &TooLargeError{fmt.Sprintf("unpacked it is larger than %d MiB", MaxChart>>20)}
}

// plainly names the file once, and not the system call.
func plainly(name string, err error) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		err = pathError.Err
	}
	return fmt.Errorf("%s: %w", name, oneLine(err))
}

// oneLine keeps an error of somebody else from taking several.
func oneLine(err error) error {
	if text := err.Error(); strings.ContainsAny(text, "\r\n") {
		return &flattened{text: strings.Join(strings.Fields(text), " "), err: err}
	}
	return err
}

type flattened struct {
	text string
	err  error
}

func (e *flattened) Error() string { return e.text }
func (e *flattened) Unwrap() error { return e.err }
