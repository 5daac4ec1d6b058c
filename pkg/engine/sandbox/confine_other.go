// SPDX-License-Identifier: Apache-2.0

//go:build !linux || (!amd64 && !arm64)

package sandbox

import (
	"fmt"
	"runtime"
)

// confine returns an error, because there is no list of system calls for this platform.
func confine(limits) error {
	return fmt.Errorf("no sandbox for %s/%s", runtime.GOOS, runtime.GOARCH)
}
