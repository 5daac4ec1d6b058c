// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/storage/backend"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.uber.org/zap"
)

// revisionBump is how far a restored store begins after its snapshot. It is more than any store wrote since its last
// backup, so that no client holds a resourceVersion from the future, and every watch starts anew.
const revisionBump = 1_000_000_000

// Restore fills an empty or missing data folder from a snapshot file and then lets do work on the running member, for
// example to leave a mark. Nothing of it stays when something fails. The data are those of the snapshot; their revision is
// far ahead of it, and everything before counts as compacted.
func Restore(ctx context.Context, file, dir string, do func(context.Context, *clientv3.Client) error) (err error) {
	if err := requireEmpty(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, "member")))
		}
	}()
	database := filepath.Join(dir, "member", "snap", "db")
	if err := unpack(file, database); err != nil {
		return err
	}
	if err := renew(database); err != nil {
		return err
	}
	// Until its first write the member complains that it does not know its own version.
	server, err := Start(ctx, dir, "panic")
	if err != nil {
		return err
	}
	defer server.Stop()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint()}, DialTimeout: startTimeout, Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, client), client.Close())
}

// requireEmpty fails when there is anything in a folder but what a new volume brings.
func requireEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() != "lost+found" {
			return fmt.Errorf("data folder %s is not empty: stop the server and move what is in it away, or name another --data-dir", dir)
		}
	}
	return nil
}

// unpack copies a snapshot without the checksum at its end, which must be right.
func unpack(file, database string) error {
	source, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	defer func() { _ = source.Close() }()
	info, err := source.Stat()
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	size := info.Size() - sha256.Size
	// Every page of a database is a multiple of 512 bytes.
	if size <= 0 || size%512 != 0 {
		return fmt.Errorf("snapshot %s is incomplete, or none", file)
	}
	if err := os.MkdirAll(filepath.Dir(database), 0o700); err != nil {
		return err
	}
	target, err := os.OpenFile(database, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.CopyN(io.MultiWriter(target, sum), source, size)
	if err = errors.Join(err, target.Sync(), target.Close()); err != nil {
		return fmt.Errorf("copying the snapshot: %w", err)
	}
	want, err := io.ReadAll(source)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if !bytes.Equal(want, sum.Sum(nil)) {
		return fmt.Errorf("snapshot %s is damaged: its checksum is wrong", file)
	}
	return nil
}

// renew makes of the database of a snapshot one from which a member of its own begins: it forgets the cluster that it came
// from and the place in its log, and moves to a revision far ahead.
func renew(database string) (err error) {
	log := zap.NewNop()
	store := backend.NewDefaultBackend(log, database)
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := schema.NewMembershipBackend(log, store).TrimMembershipFromBackend(); err != nil {
		return fmt.Errorf("forgetting the members of the snapshot: %w", err)
	}
	tx := store.BatchTx()
	tx.LockOutsideApply()
	defer store.ForceCommit()
	defer tx.Unlock()
	// Without an index in its log a member applies its log from the beginning, which is what the new one must do.
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
		return fmt.Errorf("reading the revisions of the snapshot: %w", err)
	}
	ahead := mvcc.BucketKey{Revision: mvcc.Revision{Main: latest.Main + revisionBump}}
	tx.UnsafePut(schema.Key, mvcc.BucketKeyToBytes(ahead, mvcc.NewRevBytes()), nil)
	mvcc.UnsafeSetScheduledCompact(tx, ahead.Main)
	return nil
}
