// SPDX-License-Identifier: Apache-2.0

//go:build integration

package images

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// user is the user ID of the images.
const user = 65532

// The process stays on its first thread, because the parent death signal and the mounts of that
// thread survive the exec.
func init() { runtime.LockOSThread() }

// enter replaces this process with the program of an unpacked image, as kubelet and a container
// engine would start it with the shipped manifests. The root file system is the image, read-only,
// with the working directory of the caller as the volumes, an empty /tmp for the server, and the
// files that every container gets. Only root can do that; other users run the program from the
// unpacked directory. enter returns only on errors.
func enter(root, name string, args []string) error {
	program := "/" + name
	if os.Geteuid() != 0 {
		program = filepath.Join(root, name)
	} else if err := shut(root, os.Getenv("HOME"), name == apiServer); err != nil {
		return err
	}
	// Pods have no TMPDIR, and the one of this machine may be a directory that does not exist
	// anymore.
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "TMPDIR=") })
	return syscall.Exec(program, append([]string{program}, args...), env)
}

// shut changes the root of this thread and drops all privileges.
func shut(root, volumes string, tmp bool) error {
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"a mount namespace", func() error { return unix.Unshare(unix.CLONE_NEWNS) }},
		{"to keep its mounts from others", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"a mount of the image", func() error { return unix.Mount(root, root, "", unix.MS_BIND, "") }},
		{"an empty /tmp", func() error { return mountTmp(root, tmp) }},
		{"/proc", func() error { return bindFolder("/proc", root) }},
		{"/dev", func() error { return bindFolder("/dev", root) }},
		{"/etc/hosts", func() error { return bindFile("/etc/hosts", root) }},
		{"/etc/resolv.conf", func() error { return bindFile("/etc/resolv.conf", root) }},
		{"volumes", func() error { return bindVolumes(volumes, root) }},
		{"a read-only root", func() error { return unix.Mount("", root, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, "") }},
		{"the image as root", func() error { return errors.Join(unix.Chroot(root), os.Chdir("/")) }},
		{"the image's group", func() error { return errors.Join(syscall.Setgroups(nil), syscall.Setgid(user)) }},
		{"the image's user", func() error { return syscall.Setuid(user) }},
		// A change of the user resets the parent death signal that the caller requested.
		{"to end with its caller", func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0) }},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

func mountTmp(root string, wanted bool) error {
	if !wanted {
		return nil
	}
	path := filepath.Join(root, "tmp")
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	return unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777")
}

// bindVolumes bind-mounts a directory at the same path and changes its ownership to the user, as
// kubelet does for fsGroup.
func bindVolumes(folder, root string) error {
	if folder == "" {
		return nil
	}
	if err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, user, user)
		}
		// Another program may use the same directory concurrently.
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}); err != nil {
		return err
	}
	return bindFolder(folder, root)
}

// bindFolder bind-mounts a directory of this machine at the same path.
func bindFolder(path, root string) error {
	place := filepath.Join(root, path)
	if err := os.MkdirAll(place, 0o755); err != nil {
		return err
	}
	return unix.Mount(path, place, "", unix.MS_BIND|unix.MS_REC, "")
}

// bindFile bind-mounts a file of this machine at the same path.
func bindFile(path, root string) error {
	place, err := os.OpenFile(filepath.Join(root, path), os.O_CREATE, 0o444)
	if err != nil {
		return err
	}
	return errors.Join(place.Close(), unix.Mount(path, place.Name(), "", unix.MS_BIND, ""))
}
