// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// etcdData returns the data directory of etcd.
func (c *Cluster) etcdData() string { return filepath.Join(c.opts.Dir, "data") }

// SaveEtcd copies the data of etcd into dir, which it creates, for use by Options.EtcdData and
// RestoreEtcd. It kills etcd before the copy and starts it again afterwards, so that the copy is
// consistent.
func (c *Cluster) SaveEtcd(ctx context.Context, dir string) error {
	err := c.Component(Etcd).whileKilled(ctx, func() error { return copyData(dir, c.etcdData()) })
	if err != nil {
		return fmt.Errorf("cluster: copy the data of etcd: %w", err)
	}
	return nil
}

// RestoreEtcd replaces the data of etcd with the data that SaveEtcd wrote into dir, and returns
// when the cluster serves it. All components are stopped during the restore, as the Kubernetes
// documentation requires: their caches hold objects of revisions that the restored etcd has not
// reached.
func (c *Cluster) RestoreEtcd(ctx context.Context, dir string) error {
	all := c.Components()
	var errs []error
	for _, component := range all {
		if component.name != Etcd {
			errs = append(errs, component.Stop())
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	err := c.Component(Etcd).whileKilled(ctx, func() error {
		if err := os.RemoveAll(c.etcdData()); err != nil {
			return err
		}
		return copyData(c.etcdData(), dir)
	})
	if err != nil {
		return fmt.Errorf("cluster: restore the data of etcd: %w", err)
	}
	for _, component := range all {
		if err := component.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// copyData copies a data directory of etcd with permissions for the owner only.
func copyData(to, from string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}
