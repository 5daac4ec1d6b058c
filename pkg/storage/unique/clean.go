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
	// cleanFirst is when a process first looks for records that nobody holds, and cleanPeriod how long after that again; both
	// up to twice as long.
	cleanFirst, cleanPeriod = 10 * time.Minute, 24 * time.Hour
	// cleanPage bounds one read.
	cleanPage = 500
)

// RunClean deletes records that nobody holds, about once a day, until ctx ends: those of values that left a status, and those
// that a server left that died. They do no harm, but would be more and more. Several processes may do this at once.
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
			klog.FromContext(ctx).Info("Not all claims that nobody holds were removed; they do no harm",
				"resource", s.Records.Kind, "removed", removed, "err", err)
		case removed > 0:
			klog.FromContext(ctx).Info("Claims that nobody holds were removed", "resource", s.Records.Kind, "removed", removed)
		}
	}
}

// Clean deletes the records that nobody holds and returns how many there were. What cannot be read stays.
func (s *Storage) Clean(ctx context.Context) (removed int, err error) {
	var errs []error
	for page, err := range pages.All(ctx, s.KV, s.Records.Root(), pages.Fixed(cleanPage)) {
		if err != nil {
			return removed, errors.Join(append(errs, fmt.Errorf("reading claims: %w", err))...)
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

// clean deletes a record that nobody holds.
func (s *Storage) clean(ctx context.Context, record *mvccpb.KeyValue) (deleted bool, err error) {
	holder, err := s.holder(ctx, record)
	if err != nil || holder != nil {
		return false, err
	}
	return s.remove(ctx, record)
}

// remove deletes a record unless somebody has written it meanwhile.
func (s *Storage) remove(ctx context.Context, record *mvccpb.KeyValue) (deleted bool, err error) {
	key := string(record.Key)
	answer, err := s.KV.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(key), "=", record.ModRevision)).
		Then(clientv3.OpDelete(key)).
		Commit()
	return err == nil && answer.Succeeded, err
}
