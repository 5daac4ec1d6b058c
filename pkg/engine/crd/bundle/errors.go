// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// TooLargeError is returned for a file or an unpacked chart that exceeds the maximum size.
type TooLargeError struct{ message string }

// Error returns what is too large and the limit.
func (e *TooLargeError) Error() string { return e.message }

// UnsafeError is returned for archives with names outside of the chart, or with links.
type UnsafeError struct{ message string }

// Error names the entry of the archive.
func (e *UnsafeError) Error() string { return e.message }

// RenderError is returned if the templates of a chart fail with the given values.
type RenderError struct {
	hint string
	err  error
}

// Error names the template and the reason, and how to set values.
func (e *RenderError) Error() string {
	return fmt.Sprintf("render templates (set the required values %s): %v", e.hint, e.err)
}

// Unwrap returns Helm's error.
func (e *RenderError) Unwrap() error { return e.err }

func tooLarge(name string) error {
	return &TooLargeError{fmt.Sprintf("%s: is larger than %d MiB", name, MaxFile>>20)}
}

func chartTooLarge() error {
	return &TooLargeError{fmt.Sprintf("is larger than %d MiB when unpacked", MaxChart>>20)}
}

// plainly returns an error with the name of the file once, and without the system call.
func plainly(name string, err error) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		err = pathError.Err
	}
	return fmt.Errorf("%s: %w", name, oneLine(err))
}

// oneLine returns an error whose text is a single line.
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
