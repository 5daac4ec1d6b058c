// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// forbidden contains calls that must fail. Each would succeed in any other process.
var forbidden = map[string]func() error{
	"open": func() error {
		_, err := unix.Open("/", unix.O_RDONLY, 0)
		return err
	},
	"socket": func() error {
		_, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		return err
	},
	"kill": func() error { return unix.Kill(os.Getpid(), 0) },
}

// mustFail tries a call that must fail with EPERM.
func mustFail(name string) error {
	call, ok := forbidden[name]
	if !ok {
		return fmt.Errorf("test %q does not exist", name)
	}
	switch err := call(); {
	case errors.Is(err, unix.EPERM):
		return nil
	case err != nil:
		return fmt.Errorf("a system call that must be rejected with EPERM failed with another error: %w", err)
	}
	return errors.New("a system call that must be rejected succeeded")
}
