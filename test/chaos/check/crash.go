// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"regexp"
)

// panicked matches the output of a program that panics, or that recovered from a panic.
var panicked = regexp.MustCompile(`(?m)^(panic: |fatal error: ).*$|^.*Observed a panic.*$|^.*http: panic serving.*$`)

// Crashed returns a violation if the log of a program contains a panic.
func Crashed(program string, log []byte) []Violation {
	line := panicked.Find(log)
	if line == nil {
		return nil
	}
	return []Violation{breach(Crash, "%s: %s", program, bytes.TrimSpace(line[:min(len(line), 300)]))}
}
