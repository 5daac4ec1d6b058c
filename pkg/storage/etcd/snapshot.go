// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"google.golang.org/protobuf/proto"
)

// SnapshotValues reads keys from a snapshot file. The result does not contain keys that do not
// exist.
func SnapshotValues(file string, keys ...string) (map[string][]byte, error) {
	// Reading a damaged file as a database could end the process.
	if err := database(file, io.Discard); err != nil {
		return nil, err
	}
	// bbolt ignores the checksum after the database.
	db, err := bbolt.Open(file, 0o400, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", file, err)
	}
	values := map[string][]byte{}
	err = db.View(func(tx *bbolt.Tx) error { return latest(tx, keys, values) })
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", file, err)
	}
	return values, nil
}

// latest sets values to the current values of keys.
func latest(tx *bbolt.Tx, keys []string, values map[string][]byte) error {
	bucket := tx.Bucket(schema.Key.Name())
	if bucket == nil {
		return errors.New("it is not a database of etcd")
	}
	sought := map[string]bool{}
	for _, key := range keys {
		sought[key] = true
	}
	cursor := bucket.Cursor()
	for revision, value := cursor.Last(); revision != nil && len(sought) > 0; revision, value = cursor.Prev() {
		var found mvccpb.KeyValue
		if err := proto.Unmarshal(value, &found); err != nil {
			return err
		}
		key := string(found.GetKey())
		if sought[key] && !mvcc.IsTombstone(revision) {
			values[key] = bytes.Clone(found.GetValue())
		}
		delete(sought, key)
	}
	return nil
}

// database writes a snapshot to target without the checksum at its end, and returns an error if the
// checksum is wrong.
func database(file string, target io.Writer) error {
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
		return fmt.Errorf("snapshot %s is incomplete or not a snapshot", file)
	}
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(target, sum), source, size); err != nil {
		return fmt.Errorf("copy the snapshot: %w", err)
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
