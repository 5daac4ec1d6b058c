// SPDX-License-Identifier: Apache-2.0

package unique

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/klog/v2"
)

// Delete deletes an object, and then its claims. The claims no longer count, but would fill the
// store if many objects are created and deleted. Clean removes claims that remain because the
// server was killed.
func (s *Storage) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, cached runtime.Object, options storage.DeleteOptions,
) error {
	if err := s.Interface.Delete(ctx, key, out, preconditions, validate, cached, options); err != nil {
		return err
	}
	if err := s.release(ctx, out); err != nil {
		klog.FromContext(ctx).V(2).Info("Failed to delete the claims of a deleted object; a later cleanup deletes them", "key", key, "err", err)
	}
	return nil
}

// release deletes the records of a deleted object, unless another object has claimed the values.
func (s *Storage) release(ctx context.Context, gone runtime.Object) error {
	owner, err := s.owner(gone)
	if err != nil {
		return err
	}
	for _, value := range s.values(gone) {
		record, err := s.record(ctx, value.at)
		if err != nil {
			return err
		}
		if record == nil {
			continue
		}
		claim, err := s.Records.decode(ctx, record)
		if err != nil {
			return err
		}
		if claim.UID != owner.UID {
			continue
		}
		if _, err := s.remove(ctx, record); err != nil {
			return err
		}
	}
	return nil
}
