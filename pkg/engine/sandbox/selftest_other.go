// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package sandbox

import "errors"

func mustFail(string) error { return errors.New("system calls are rejected on Linux only") }
