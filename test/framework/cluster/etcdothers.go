// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// StartSingle starts another etcd with a single empty member. It accepts the clients of e and has
// the same serving certificate. StartSingle returns when the etcd serves. The etcd runs until
// e.Stop.
func (e *EtcdCluster) StartSingle(ctx context.Context, name string) (*Component, error) {
	return e.startOther(ctx, name)
}

// StartCopy is StartSingle with a copy of the data of a member of e. The member is killed before
// the copy and started again afterwards. The copy has the cluster ID and the revision of e.
func (e *EtcdCluster) StartCopy(ctx context.Context, name string, of *Component) (*Component, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	err := of.whileKilled(ctx, func() error {
		// A failed call may have left incomplete data.
		if err := os.RemoveAll(e.data(name)); err != nil {
			return err
		}
		return os.CopyFS(e.data(name), os.DirFS(e.data(of.Name())))
	})
	if err != nil {
		return nil, fmt.Errorf("cluster: copy the data of %s: %w", of.Name(), err)
	}
	return e.startOther(ctx, name, "--force-new-cluster")
}

func (e *EtcdCluster) startOther(ctx context.Context, name string, args ...string) (*Component, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	e.mu.Lock()
	n := etcdMembers + len(e.others)
	if healthPort(n) >= blockSize {
		e.mu.Unlock()
		return nil, fmt.Errorf("cluster: all %d ports of the etcd cluster are taken", blockSize)
	}
	other := e.component(n, name, append(args, "--initial-cluster="+name+"="+e.peerURL(n))...)
	e.others = append(e.others, other)
	e.mu.Unlock()
	if err := other.Start(ctx); err != nil {
		return nil, errors.Join(err, other.Stop())
	}
	return other, nil
}
