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

// Renumber moves the store of a stopped member to a revision far ahead, before which everything counts as compacted, and
// makes it a cluster of its own. So no client holds a resourceVersion from the future, every watch begins anew, and the
// cluster id distinguishes the store from each copy of it. The replaced member remains as member.<UTC time>. It needs room
// for a second copy of the data.
//
// Start and Renumber end what an interrupted call began: the store is then either as it was or renumbered. To repeat a
// call that succeeded does no harm.
func Renumber(ctx context.Context, dir string) (err error) {
	held, err := hold(dir)
	if err != nil {
		return fmt.Errorf("embedded etcd in %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	for _, step := range renumbering(ctx, dir, time.Now()) {
		if err := step(); err != nil {
			return fmt.Errorf("renumbering the embedded etcd in %s: %w", dir, errors.Join(err, settle(dir)))
		}
	}
	return nil
}

// renumbering returns the steps in between which the process may end.
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

// replay brings into the database what a member that was killed had acknowledged: it may be in the log only.
func replay(ctx context.Context, dir string) error {
	found, err := exists(filepath.Join(dir, memberFolder))
	if err != nil {
		return err
	}
	if !found {
		return errors.New("the data folder holds no member")
	}
	server, err := run(ctx, dir, "error")
	if err != nil {
		return err
	}
	server.Stop()
	return nil
}

// duplicate copies a database that nobody uses.
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
