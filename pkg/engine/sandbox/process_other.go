// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"io"
	"time"
)

// process is a child, which is not supported on this platform.
type process struct {
	in  io.WriteCloser
	out io.ReadCloser
}

func start(context.Context, string, time.Duration) (*process, error) {
	return nil, errors.New("children are confined on Linux only")
}

func (p *process) end()             {}
func (p *process) wait(bool) *Error { return &Error{Kind: KindUnavailable} }
func (p *process) describe() []any  { return nil }
