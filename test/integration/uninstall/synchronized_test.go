// SPDX-License-Identifier: Apache-2.0

//go:build integration

package uninstall

import (
	"bytes"
	"sync"
)

// synchronized is a writer for the output of a program that a test reads concurrently.
type synchronized struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (s *synchronized) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(text)
}

// String returns everything written so far.
func (s *synchronized) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
