// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mountInfo is the kernel's list of the mounts of this process.
const mountInfo = "/proc/self/mountinfo"

// RequirePersistent returns an error if files below dir do not outlive the pod or the memory of the
// machine.
func RequirePersistent(dir string) error {
	place, err := resolve(dir)
	if err != nil {
		return fmt.Errorf("data folder %s: %w", dir, err)
	}
	mounts, err := os.ReadFile(mountInfo)
	if err != nil {
		return fmt.Errorf("whether data folder %s is persistent: %w", dir, err)
	}
	_, inPod := os.LookupEnv("KUBERNETES_SERVICE_HOST")
	if why := volatile(string(mounts), place, inPod); why != "" {
		return fmt.Errorf("data folder %s is %s: all objects would be lost, and the cluster's garbage collector would then delete what they "+
			"own. Use a persistent volume or an external etcd (--etcd-servers), or set --dev if the data may be lost", dir, why)
	}
	return nil
}

// resolve returns the real path of a folder, which may not exist yet.
func resolve(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	found, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		parent, err := resolve(filepath.Dir(dir))
		return filepath.Join(parent, filepath.Base(dir)), err
	}
	return found, err
}

// volatile returns a description of the storage of a path if it is not persistent, "" otherwise.
// mounts has the format of /proc/self/mountinfo (proc(5)); inPod is true if the root file system is
// that of a container.
func volatile(mounts, path string, inPod bool) string {
	var root, kind, longest string
	for line := range strings.Lines(mounts) {
		left, right, found := strings.Cut(line, " - ")
		fields, after := strings.Fields(left), strings.Fields(right)
		if !found || len(fields) < 5 || len(after) < 1 {
			continue
		}
		// A later mount on the same point hides the earlier one.
		if point := unescape(fields[4]); below(path, point) && len(point) >= len(longest) {
			longest, root, kind = point, unescape(fields[3]), after[0]
		}
	}
	switch {
	case strings.Contains(root, "kubernetes.io~empty-dir"):
		return "an emptyDir volume"
	case kind == "tmpfs" || kind == "ramfs":
		return "in memory (" + kind + ")"
	case inPod && kind == "overlay":
		return "in the container's own file system"
	default:
		return ""
	}
}

func below(path, point string) bool {
	return point == "/" || path == point || strings.HasPrefix(path, point+"/")
}

// unescape undoes the kernel's octal escapes of white space and backslash.
func unescape(text string) string {
	for _, code := range []int{0o40, 0o11, 0o12, 0o134} {
		text = strings.ReplaceAll(text, fmt.Sprintf(`\%03o`, code), string(rune(code)))
	}
	return text
}
