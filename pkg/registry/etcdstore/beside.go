// SPDX-License-Identifier: Apache-2.0

package etcdstore

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
)

// Beside is a record that must be new, and is to be stored in the same transaction as a new object.
type Beside struct {
	// Key and Value are those of the record in etcd.
	Key, Value string
	// Otherwise is called when the record is there already and the object is not. If it gives nil the object is stored
	// alone, else its error is that of the create.
	Otherwise func(context.Context) error
}

// Slot takes what is to be stored beside the object of a request; nil: nothing.
type Slot struct{ beside *Beside }

// Put fills the slot.
func (s *Slot) Put(b *Beside) { s.beside = b }

type slotKey struct{}

// WithSlot gives the context of a request that may create an object.
func WithSlot(ctx context.Context) context.Context {
	return context.WithValue(ctx, slotKey{}, &Slot{})
}

// SlotFrom gives the slot of a request, nil when it has none.
func SlotFrom(ctx context.Context) *Slot {
	slot, _ := ctx.Value(slotKey{}).(*Slot)
	return slot
}

// besides puts objects with what is beside them.
type besides struct{ *kubernetes.Client }

// OptimisticPut implements kubernetes.Interface.
func (b besides) OptimisticPut(ctx context.Context, key string, value []byte, expected int64, options kubernetes.PutOptions) (kubernetes.PutResponse, error) {
	slot := SlotFrom(ctx)
	if slot == nil || slot.beside == nil || expected != 0 {
		return b.Client.OptimisticPut(ctx, key, value, expected, options)
	}
	beside := slot.beside
	answer, err := b.KV.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(key), "=", 0), clientv3.Compare(clientv3.ModRevision(beside.Key), "=", 0)).
		Then(clientv3.OpPut(key, string(value), clientv3.WithLease(options.LeaseID)), clientv3.OpPut(beside.Key, beside.Value)).
		Else(clientv3.OpGet(key)).
		Commit()
	if err != nil {
		return kubernetes.PutResponse{}, err
	}
	if answer.Succeeded {
		return kubernetes.PutResponse{Succeeded: true, Revision: answer.Header.Revision}, nil
	}
	object, err := first(answer.Responses)
	if err != nil {
		return kubernetes.PutResponse{}, err
	}
	if object != nil {
		response := kubernetes.PutResponse{Revision: answer.Header.Revision}
		if options.GetOnFailure {
			response.KV = object
		}
		return response, nil
	}
	// Somebody holds the record. It is not taken again when the storage tries once more.
	slot.beside = nil
	if err := beside.Otherwise(ctx); err != nil {
		return kubernetes.PutResponse{}, err
	}
	return b.Client.OptimisticPut(ctx, key, value, expected, options)
}

// first is what the only read of a transaction found, nil for nothing.
func first(responses []*etcdserverpb.ResponseOp) (*mvccpb.KeyValue, error) {
	if len(responses) != 1 || responses[0].GetResponseRange() == nil {
		return nil, fmt.Errorf("etcd answered a transaction with %d results where one was asked for", len(responses))
	}
	if found := responses[0].GetResponseRange().Kvs; len(found) > 0 {
		return found[0], nil
	}
	return nil, nil
}
