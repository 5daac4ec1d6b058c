// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"regexp"
)

// panicked is what a program writes that panics, or that caught a panic.
var panicked = regexp.MustCompile(`(?m)^(panic: |fatal error: ).*$|^.*Observed a panic.*$|^.*http: panic serving.*$`)

// Crashed looks for a panic in the log of a program.
func Crashed(program string, log []byte) []Violation {
	line := panicked.Find(log)
	if line == nil {
		return nil
	}
	return []Violation{breach(Crash, "%s: %s", program, bytes.TrimSpace(line[:min(len(line), 300)]))}
}
