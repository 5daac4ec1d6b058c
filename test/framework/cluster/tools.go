// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// FindTools returns the directory of the built programs as reported by hack/tools/build.sh of the
// checkout that contains the working directory. It builds nothing.
func FindTools() (string, error) {
	script, err := findScript()
	if err != nil {
		return "", err
	}
	out, err := exec.Command(script, "--print-dir").Output()
	if err != nil {
		return "", fmt.Errorf("cluster: %s --print-dir: %w", script, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// findScript searches upwards from the working directory, because go test runs in the directory of
// the tested package.
func findScript() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for start := dir; ; dir = filepath.Dir(dir) {
		script := filepath.Join(dir, "hack", "tools", "build.sh")
		if _, err := os.Stat(script); err == nil {
			return script, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("cluster: no hack/tools/build.sh in %s or a folder above it: run inside the checkout, or set Options.ToolsDir",
				start)
		}
	}
}

// checkTools returns an error that names the first missing program and the command that builds it.
func checkTools(dir string, minimal bool) error {
	names := []string{Etcd, APIServer, "kubectl"}
	if !minimal {
		names = append(names, ControllerManager, Scheduler, Kwok)
	}
	for _, name := range names {
		_, err := os.Stat(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("cluster: %s is not in %s: run `make tools` first", name, dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
