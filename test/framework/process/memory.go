// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// PeakMemory returns the peak resident memory of a running process in bytes.
func PeakMemory(pid int) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found {
			kibi, err := strconv.Atoi(strings.Fields(value)[0])
			return kibi << 10, err
		}
	}
	return 0, fmt.Errorf("process %d has no memory: it has ended", pid)
}
