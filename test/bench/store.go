// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// storeLimit bounds the compaction and defragmentation of a store.
const storeLimit = time.Minute

// stored is the size of the stores of both ways.
type stored struct{ ours, crd size }

// size is the size of a store after compaction and defragmentation, in bytes: the pages in use, and
// the keys and values in them.
type size struct{ pages, content float64 }

func (b *bed) stored(ctx context.Context) (stored, error) {
	address, err := etcd.Running(filepath.Join(b.roadsteadDir(), "etcd"))
	if err != nil {
		return stored{}, err
	}
	ours, err := inUse(ctx, address)
	if err != nil {
		return stored{}, fmt.Errorf("the store of roadstead-apiserver: %w", err)
	}
	crd, err := inUse(ctx, b.cluster.EtcdURL())
	if err != nil {
		return stored{}, fmt.Errorf("the store of kube-apiserver: %w", err)
	}
	return stored{ours, crd}, nil
}

// inUse compacts and defragments a store and returns its size.
func inUse(ctx context.Context, address string) (found size, err error) {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{address}, DialTimeout: 10 * time.Second})
	if err != nil {
		return size{}, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	latest, err := client.Get(ctx, "/none")
	if err != nil {
		return size{}, err
	}
	if _, err := client.Compact(ctx, latest.Header.Revision, clientv3.WithCompactPhysical()); err != nil {
		return size{}, err
	}
	if _, err := client.Defragment(ctx, address); err != nil {
		return size{}, err
	}
	status, err := client.Status(ctx, address)
	if err != nil {
		return size{}, err
	}
	content, err := contentOf(ctx, client)
	return size{pages: float64(status.DbSizeInUse), content: content}, err
}

// contentOf returns the total size of all keys and values.
func contentOf(ctx context.Context, client *clientv3.Client) (float64, error) {
	const page = 500
	var sum float64
	for from := "\x00"; ; {
		some, err := client.Get(ctx, from, clientv3.WithFromKey(), clientv3.WithLimit(page), clientv3.WithSerializable())
		if err != nil {
			return 0, err
		}
		for _, one := range some.Kvs {
			sum += float64(len(one.Key) + len(one.Value))
		}
		if !some.More {
			return sum, nil
		}
		from = string(some.Kvs[len(some.Kvs)-1].Key) + "\x00"
	}
}
