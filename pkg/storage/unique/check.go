// SPDX-License-Identifier: Apache-2.0

package unique

import (
	"context"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"k8s.io/apimachinery/pkg/runtime"
)

// Checker is storage that can check before a write whether values are in use.
type Checker interface {
	// Check returns a *TakenError if another object has a value of obj. It writes nothing, and
	// reserves nothing. It accepts an object with the same name, because the write returns a better
	// error.
	Check(ctx context.Context, obj runtime.Object, update bool) error
}

var _ Checker = &Storage{}

// Check implements Checker.
func (s *Storage) Check(ctx context.Context, obj runtime.Object, update bool) error {
	values := s.values(obj)
	if len(values) == 0 {
		return nil
	}
	wanted, err := s.owner(obj)
	if err != nil {
		return err
	}
	for _, value := range values {
		record, err := s.record(ctx, value.at)
		if err != nil {
			return err
		}
		if record == nil {
			continue
		}
		holder, err := s.holder(ctx, record)
		if err != nil {
			return err
		}
		if holder != nil && !holder.sameName(wanted) {
			return value.taken(wanted, *holder, update)
		}
	}
	return nil
}

// record returns the record at a path, or nil if it does not exist.
func (s *Storage) record(ctx context.Context, at string) (*mvccpb.KeyValue, error) {
	found, err := s.KV.Get(ctx, at)
	if err != nil || len(found.Kvs) == 0 {
		return nil, err
	}
	return found.Kvs[0], nil
}
