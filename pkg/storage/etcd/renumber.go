// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Renumber moves the store of a stopped member to a much higher revision, before which everything
// counts as compacted, and assigns a new cluster id. So no client has a resourceVersion from the
// future, every watch starts again, and the cluster id distinguishes the store from each copy of
// it. The replaced member remains as member.<UTC time>. The volume needs space for a second copy of
// the data.
//
// Start and Renumber complete or revert an interrupted call: the store is then either unchanged or
// renumbered. Repeating a successful call is safe.
func Renumber(ctx context.Context, dir string) (err error) {
	held, err := hold(dir)
	if err != nil {
		return fmt.Errorf("embedded etcd in %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	for _, step := range renumbering(ctx, dir, time.Now()) {
		if err := step(); err != nil {
			return fmt.Errorf("renumber the embedded etcd in %s: %w", dir, errors.Join(err, settle(dir)))
		}
	}
	return nil
}

// renumbering returns the steps; the process may end between any two of them.
func renumbering(ctx context.Context, dir string, now time.Time) []func() error {
	return []func() error{
		func() error { return settle(dir) },
		func() error { return replay(ctx, dir) },
		func() error {
			return build(dir, func(database string) error { return duplicate(databaseOf(dir, memberFolder), database) })
		},
		func() error { return move(dir, memberFolder, formerFolder(now)) },
		func() error { return move(dir, newFolder, memberFolder) },
	}
}

// replay applies the log of a member to its database: writes that a killed member acknowledged may
// be only in the log.
func replay(ctx context.Context, dir string) error {
	found, err := exists(filepath.Join(dir, memberFolder))
	if err != nil {
		return err
	}
	if !found {
		return errors.New("the data folder contains no member")
	}
	server, err := run(ctx, dir, "error")
	if err != nil {
		return err
	}
	server.Stop()
	return nil
}

// duplicate copies a database that is not in use.
func duplicate(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Sync(), target.Close())
}
