// SPDX-License-Identifier: Apache-2.0

package unique

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime"
)

// Checker is storage that can tell beforehand whether values are taken.
type Checker interface {
	// Check returns a *TakenError when another object holds a value of obj. It writes nothing, and reserves nothing. An object
	// of the same name is no reason to refuse: the write itself tells that better.
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
	gets := make([]clientv3.Op, 0, len(values))
	for _, value := range values {
		gets = append(gets, clientv3.OpGet(value.at))
	}
	answer, err := s.KV.Txn(ctx).Then(gets...).Commit()
	if err != nil {
		return err
	}
	found, err := ranges(answer, len(gets))
	if err != nil {
		return err
	}
	for i, record := range found {
		if record == nil {
			continue
		}
		holder, err := s.holder(ctx, record)
		if err != nil {
			return err
		}
		if holder != nil && !holder.sameName(wanted) {
			return values[i].taken(wanted, *holder, update)
		}
	}
	return nil
}
