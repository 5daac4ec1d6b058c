// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock keeps a second server out of a data folder. etcd has a lock of its own, but waits for it without end and without
// a word. The lock ends when the returned file is closed, or with the process.
func lock(dir string) (*os.File, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errors.New("another server uses this data folder: end it first, or name another --data-dir")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock: %w", err), folder.Close())
	}
	return folder, nil
}
