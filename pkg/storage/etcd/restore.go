// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/storage/backend"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.uber.org/zap"
)

// revisionBump is the difference between the first revision of a restored store and that of its
// snapshot. It exceeds the number of writes of any store since its last backup, so that no client
// has a resourceVersion from the future, and every watch starts again.
const revisionBump = 1_000_000_000

// Restore fills an empty or missing data folder from a snapshot file, and starts the member once.
// If it fails, the folder remains empty. The data are those of the snapshot, at a much higher
// revision; everything before counts as compacted, and the cluster id is a new one.
func Restore(ctx context.Context, file, dir string) (err error) {
	held, err := hold(dir)
	if err != nil {
		return fmt.Errorf("embedded etcd in %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	if err := requireEmpty(dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, discard(dir))
		}
	}()
	if err := build(dir, func(path string) error { return unpack(file, path) }); err != nil {
		return err
	}
	if err := move(dir, newFolder, memberFolder); err != nil {
		return err
	}
	// Until its first write the member logs that its version is unknown.
	server, err := run(ctx, dir, "panic")
	if err != nil {
		return err
	}
	server.Stop()
	return nil
}

// requireEmpty returns an error unless a folder contains only what is on a new volume or what an
// interrupted Restore left.
func requireEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	for _, entry := range entries {
		if name := entry.Name(); name != "lost+found" && name != partFolder && name != newFolder {
			return fmt.Errorf("data folder %s is not empty: stop the server and move the contents, or set another --data-dir", dir)
		}
	}
	return nil
}

// discard removes the files of Restore from the data folder.
func discard(dir string) error {
	var err error
	for _, folder := range []string{memberFolder, partFolder, newFolder} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, folder)))
	}
	return err
}

// unpack writes the database of a snapshot to a new file.
func unpack(file, path string) error {
	target, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(database(file, target), target.Sync(), target.Close())
}

// renew changes the database of a snapshot into the database of a new member: it removes the
// cluster membership and the position in the log, and moves to a much higher revision.
func renew(database string) (err error) {
	log := zap.NewNop()
	store := backend.NewDefaultBackend(log, database)
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := schema.NewMembershipBackend(log, store).TrimMembershipFromBackend(); err != nil {
		return fmt.Errorf("remove the members of the snapshot: %w", err)
	}
	tx := store.BatchTx()
	tx.LockOutsideApply()
	defer store.ForceCommit()
	defer tx.Unlock()
	// Without a consistent index a member applies its log from the beginning, as the new member
	// must.
	for _, key := range [][]byte{schema.MetaConsistentIndexKeyName, schema.MetaTermKeyName, schema.MetaConfStateName} {
		tx.UnsafeDelete(schema.Meta, key)
	}
	var latest mvcc.BucketKey
	if err := tx.UnsafeForEach(schema.Key, func(key, _ []byte) error {
		if found := mvcc.BytesToBucketKey(key); found.GreaterThan(latest.Revision) {
			latest = found
		}
		return nil
	}); err != nil {
		return fmt.Errorf("read the revisions of the snapshot: %w", err)
	}
	ahead := mvcc.BucketKey{Revision: mvcc.Revision{Main: latest.Main + revisionBump}}
	tx.UnsafePut(schema.Key, mvcc.BucketKeyToBytes(ahead, mvcc.NewRevBytes()), nil)
	mvcc.UnsafeSetScheduledCompact(tx, ahead.Main)
	return nil
}
