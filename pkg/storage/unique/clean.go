// SPDX-License-Identifier: Apache-2.0

package unique

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/storage/pages"
)

const (
	// cleanFirst is the delay of the first cleanup of unused records in a process, and cleanPeriod
	// the time between two cleanups. With jitter, both are up to twice as long.
	cleanFirst, cleanPeriod = 10 * time.Minute, 24 * time.Hour
	// cleanPage is the maximum number of keys in one read.
	cleanPage = 500
)

// RunClean deletes unused records about once a day, until ctx ends: records of values that were
// removed from a status, and records that a server left that was killed. They have no effect, but
// their number would grow. Several processes may run this at the same time.
func (s *Storage) RunClean(ctx context.Context) {
	for pause := cleanFirst; ; pause = cleanPeriod {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait.Jitter(pause, 1)):
		}
		removed, err := s.Clean(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			klog.FromContext(ctx).Info("Failed to remove some unused claims; they have no effect",
				"resource", s.Records.Kind, "removed", removed, "err", err)
		case removed > 0:
			klog.FromContext(ctx).Info("Removed unused claims", "resource", s.Records.Kind, "removed", removed)
		}
	}
}

// Clean deletes the unused records and returns their number. It keeps records that cannot be read.
func (s *Storage) Clean(ctx context.Context) (removed int, err error) {
	var errs []error
	for page, err := range pages.All(ctx, s.KV, s.Records.Root(), pages.Fixed(cleanPage)) {
		if err != nil {
			return removed, errors.Join(append(errs, fmt.Errorf("read claims: %w", err))...)
		}
		for _, record := range page.Kvs {
			deleted, err := s.clean(ctx, record)
			if err != nil {
				errs = append(errs, err)
			}
			if deleted {
				removed++
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return removed, errors.Join(errs...)
}

// clean deletes a record if it is unused.
func (s *Storage) clean(ctx context.Context, record *mvccpb.KeyValue) (deleted bool, err error) {
	holder, err := s.holder(ctx, record)
	if err != nil || holder != nil {
		return false, err
	}
	return s.remove(ctx, record)
}

// remove deletes a record unless it was written in the meantime.
func (s *Storage) remove(ctx context.Context, record *mvccpb.KeyValue) (deleted bool, err error) {
	key := string(record.Key)
	answer, err := s.KV.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(key), "=", record.ModRevision)).
		Then(clientv3.OpDelete(key)).
		Commit()
	return err == nil && answer.Succeeded, err
}
