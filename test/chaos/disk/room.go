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
	// fill leaves no room to the process that writes; free takes that back.
	fill(pid int) error
	free(pid int) error
	close() error
}

// size is above the two segments of 64 MiB that etcd reserves for its log.
const size = 192 << 20

// newRoom gives a file system of its own where that may be made, else the limit of a process.
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

// String names it for people.
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

// close leaves the file system to whoever still uses it.
func (m mounted) close() error { return unix.Unmount(m.dir, unix.MNT_DETACH) }

// limit lets a process write files up to a size only (RLIMIT_FSIZE). It gets EFBIG where a full disk gives ENOSPC.
type limit struct{}

// most is where etcd's log and database are beyond, so that no write of theirs succeeds.
const most = 8 << 10

// String names it for people.
func (limit) String() string {
	return "a limit of the size of files, since no file system may be mounted"
}

func (limit) fill(pid int) error { return set(pid, most) }
func (limit) free(pid int) error { return set(pid, unix.RLIM_INFINITY) }
func (limit) close() error       { return nil }

// set changes the soft limit, which may be raised again. A process that has ended needs none.
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
