// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	clientv3 "go.etcd.io/etcd/client/v3"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
)

// etcds are the right etcd and those that a server is wrongly connected to.
type etcds struct {
	right *framework.Etcd
	// older is a copy of right that was taken before some writes.
	older *framework.Etcd
	// grown is another such copy, with a higher revision than right.
	grown *framework.Etcd
	// empty has the cluster ID of right.
	empty *framework.Etcd
	// foreign belongs to another installation, which has objects with the same names.
	foreign *framework.Etcd
}

// objectPrefix is the etcd prefix of the Domains of the namespace.
const objectPrefix = "/registry/roadstead.dev/takaro.roadstead.dev/domains/" + namespace + "/"

// growth is far above the number of writes in this package.
const growth = 20_000

// start starts the etcds that are not copies.
func (s *etcds) start(ctx context.Context, c *cluster.Cluster, later func(func() error)) error {
	for _, one := range []struct {
		name, token string
		etcd        **framework.Etcd
	}{{"right", "", &s.right}, {"empty", "", &s.empty}, {"foreign", "foreign", &s.foreign}} {
		started, err := framework.StartEtcd(ctx, c, filepath.Join(c.Dir(), "stores", one.name), one.token)
		if err != nil {
			return err
		}
		later(started.Stop)
		*one.etcd = started
	}
	return nil
}

// copies creates the copies of right.
func (s *etcds) copies(ctx context.Context, later func(func() error)) error {
	var err error
	if s.older, err = s.right.Copy(ctx, filepath.Join(env.Cluster.Dir(), "stores", "older")); err != nil {
		return err
	}
	later(s.older.Stop)
	if s.grown, err = s.older.Copy(ctx, filepath.Join(env.Cluster.Dir(), "stores", "grown")); err != nil {
		return err
	}
	later(s.grown.Stop)
	return nil
}

// grow increases the revision of the copy beyond that of right. A watch that continues there sees
// the deletion of a Domain that exists, and the creation of one that does not.
func (s *etcds) grow(ctx context.Context) error {
	if err := s.grown.Grow(ctx, growth); err != nil {
		return err
	}
	client := s.grown.Client()
	deleted, err := client.Delete(ctx, objectPrefix+kept[0])
	if err != nil {
		return err
	}
	found, err := client.Get(ctx, objectPrefix+gone)
	if err != nil {
		return err
	}
	if deleted.Deleted != 1 || len(found.Kvs) != 1 {
		return errors.New("etcd does not hold the Domains at " + objectPrefix)
	}
	_, err = client.Put(ctx, objectPrefix+gone, string(found.Kvs[0].Value))
	return err
}

// verify returns an error unless the wrong stores have the intended properties.
func (s *etcds) verify(ctx context.Context) error {
	revision, id, err := s.right.Position(ctx)
	if err != nil {
		return err
	}
	for name, one := range map[string]struct {
		etcd   *framework.Etcd
		behind bool
		sameID bool
	}{"older": {s.older, true, true}, "grown": {s.grown, false, true}, "empty": {s.empty, true, true}, "foreign": {s.foreign, false, false}} {
		itsRevision, itsID, err := one.etcd.Position(ctx)
		if err != nil {
			return err
		}
		if (itsRevision < revision) != one.behind || (itsID == id) != one.sameID {
			return fmt.Errorf("%s is at %d of cluster %x, right at %d of %x", name, itsRevision, itsID, revision, id)
		}
	}
	return nil
}

// keys returns the number of Roadstead keys in an etcd.
func keys(ctx context.Context, etcd *framework.Etcd) (int64, error) {
	found, err := etcd.Client().Get(ctx, "/registry/roadstead.dev/", clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return 0, err
	}
	return found.Count, nil
}
