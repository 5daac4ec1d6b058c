// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"context"
	"slices"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

const prefix = "/registry/test"

// memoryKV implements the part of an etcd that the keeper of the seeds needs.
type memoryKV struct {
	clientv3.KV
	mu   sync.Mutex
	keys map[string]string
	// fail is returned by every call.
	fail error
}

func newMemoryKV(keys ...string) *memoryKV {
	kv := &memoryKV{keys: map[string]string{}}
	for _, key := range keys {
		kv.keys[prefix+"/"+key] = "value"
	}
	return kv
}

func (kv *memoryKV) Get(_ context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if kv.fail != nil {
		return nil, kv.fail
	}
	end := string(clientv3.OpGet(key, opts...).RangeBytes())
	found := &clientv3.GetResponse{}
	for at, text := range kv.keys {
		if at == key || end != "" && at >= key && at < end {
			found.Kvs = append(found.Kvs, &mvccpb.KeyValue{Key: []byte(at), Value: []byte(text)})
		}
	}
	slices.SortFunc(found.Kvs, func(a, b *mvccpb.KeyValue) int { return slices.Compare(a.Key, b.Key) })
	return found, nil
}

func (kv *memoryKV) Put(_ context.Context, key, text string, _ ...clientv3.OpOption) (*clientv3.PutResponse, error) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if kv.fail != nil {
		return nil, kv.fail
	}
	kv.keys[key] = text
	return &clientv3.PutResponse{}, nil
}

func (kv *memoryKV) Delete(_ context.Context, key string, _ ...clientv3.OpOption) (*clientv3.DeleteResponse, error) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if kv.fail != nil {
		return nil, kv.fail
	}
	delete(kv.keys, key)
	return &clientv3.DeleteResponse{}, nil
}

// breakWith sets the error that every call returns; nil for none.
func (kv *memoryKV) breakWith(err error) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	kv.fail = err
}
