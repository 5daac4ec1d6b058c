// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Folders below the data folder. A member is replaced by building its successor in the same folder
// and renaming both. If the process ends in between, settle determines from the names what is
// complete.
const (
	// memberFolder is the folder in which etcd stores its data.
	memberFolder = "member"
	// partFolder is a member that is being built.
	partFolder = "member.part"
	// newFolder is a complete member that replaces memberFolder once that is renamed.
	newFolder = "member.new"
)

// formerFolder returns the folder of a replaced member.
func formerFolder(replaced time.Time) string {
	return memberFolder + "." + replaced.UTC().Format("20060102T150405.000Z")
}

// databaseOf returns the path of a member's database.
func databaseOf(dir, member string) string { return filepath.Join(dir, member, "snap", "db") }

// hold creates the data folder and locks it until the returned file is closed.
func hold(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	return lock(dir)
}

// settle completes or reverts a replacement that was interrupted. While the member is in its place,
// it may have accepted writes since the new one was built, so the new one is removed. Once the
// member is renamed, the new one replaces it.
func settle(dir string) error {
	if err := os.RemoveAll(filepath.Join(dir, partFolder)); err != nil {
		return err
	}
	present, err := exists(filepath.Join(dir, memberFolder))
	if err != nil {
		return err
	}
	if present {
		return os.RemoveAll(filepath.Join(dir, newFolder))
	}
	complete, err := exists(filepath.Join(dir, newFolder))
	if err != nil || !complete {
		return err
	}
	return move(dir, newFolder, memberFolder)
}

// build builds a complete new member. Its only content is the database that write creates at the
// given path, after renew.
func build(dir string, write func(database string) error) error {
	database := databaseOf(dir, partFolder)
	for _, leftover := range []string{partFolder, newFolder} {
		if err := os.RemoveAll(filepath.Join(dir, leftover)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(database), 0o700); err != nil {
		return err
	}
	if err := write(database); err != nil {
		return err
	}
	if err := renew(database); err != nil {
		return err
	}
	for _, folder := range []string{filepath.Dir(database), filepath.Join(dir, partFolder)} {
		if err := syncFolder(folder); err != nil {
			return err
		}
	}
	return move(dir, partFolder, newFolder)
}

// move renames a folder. If it returns nil, the change is on disk.
func move(dir, from, to string) error {
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		return err
	}
	return syncFolder(dir)
}

// syncFolder writes the names in a folder to the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
