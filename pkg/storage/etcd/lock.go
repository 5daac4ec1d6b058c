// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock prevents a second server from using a data folder. etcd's own lock waits without a limit and
// without a log message. The lock ends when the returned file is closed, or with the process.
func lock(dir string) (*os.File, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errors.New("another server uses this data folder: stop it first, or set another --data-dir")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock: %w", err), folder.Close())
	}
	return folder, nil
}
