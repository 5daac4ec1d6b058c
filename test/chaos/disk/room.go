// SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// room is the disk of a store, which can be full.
type room interface {
	fmt.Stringer
	// fill leaves no space to the process that writes, and free reverts this.
	fill(pid int) error
	free(pid int) error
	close() error
}

// size is larger than the two segments of 64 MiB that etcd reserves for its log.
const size = 192 << 20

// newRoom returns a separate file system if one can be mounted, or else a limit on a process.
func newRoom(dir string) (room, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))
	if errors.Is(err, os.ErrPermission) {
		return limit{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("mount a file system in memory at %s: %w", dir, err)
	}
	return mounted{dir: dir}, nil
}

// mounted is a small file system in memory.
type mounted struct{ dir string }

// String returns a description for users.
func (m mounted) String() string {
	return fmt.Sprintf("a file system of %d MiB at %s", size>>20, m.dir)
}

func (m mounted) ballast() string { return filepath.Join(m.dir, "ballast") }

func (m mounted) fill(int) error {
	file, err := os.Create(m.ballast())
	if err != nil {
		return err
	}
	block := make([]byte, 4<<10)
	for err == nil {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

func (m mounted) free(int) error { return os.Remove(m.ballast()) }

// close detaches the file system; processes that still use it are not affected.
func (m mounted) close() error { return unix.Unmount(m.dir, unix.MNT_DETACH) }

// limit restricts the size of files that a process writes (RLIMIT_FSIZE). The process receives
// EFBIG instead of the ENOSPC of a full disk.
type limit struct{}

// most is less than the size of etcd's log and database, so that every write to them fails.
const most = 8 << 10

// String returns a description for users.
func (limit) String() string {
	return "a limit of the size of files, since no file system may be mounted"
}

func (limit) fill(pid int) error { return set(pid, most) }
func (limit) free(pid int) error { return set(pid, unix.RLIM_INFINITY) }
func (limit) close() error       { return nil }

// set changes the soft limit, which can be raised again. It ignores a process that has ended.
func set(pid int, bytes uint64) error {
	var old unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &old); err != nil {
		return ignoreEnded(err)
	}
	return ignoreEnded(unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: min(bytes, old.Max), Max: old.Max}, nil))
}

func ignoreEnded(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}
