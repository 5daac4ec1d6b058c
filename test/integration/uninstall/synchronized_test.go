// SPDX-License-Identifier: Apache-2.0

//go:build integration

package uninstall

import (
	"bytes"
	"sync"
)

// synchronized takes what a program says while a test reads it.
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

// String gives what was written until now.
func (s *synchronized) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
