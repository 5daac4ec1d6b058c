// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/storage/pages"
)

const (
	// rewritePage is the maximum number of keys in one read.
	rewritePage = 500
	// rewriteRetry is the delay after a pass that failed, and readyRetry after one that could not
	// begin.
	rewriteRetry, readyRetry = 30 * time.Second, 2 * time.Second
)

// Rewriter encrypts stored values again if they were encrypted with another seed than the first
// one. Without it an older seed could never be removed, because objects that do not change are not
// written otherwise.
type Rewriter struct {
	// KV reads and writes the store.
	KV clientv3.KV
	// Prefix is the store's prefix; keys right below it that begin with two underscores are not objects.
	Prefix string
	// Seeds are the transformers with the seeds of the installation.
	Seeds *Transformers
	// Transformers encrypt new values: either Seeds, or those of a provider.
	Transformers value.ResourceTransformers
	// Provider is true if Transformers are those of a provider, so that all values of the seeds are
	// written again.
	Provider bool
	// Resource returns the resource of a key.
	Resource func(key string) schema.GroupResource
	// Settle is the time in which other replicas read a change of the seeds.
	Settle time.Duration
	// Ready returns an error while the store must not be written.
	Ready func() error
	// Done is called after each pass after which no value needs another seed. Optional.
	Done func()
}

// Run runs a pass for each value of changed, until ctx ends. It repeats a pass that fails.
func (r Rewriter) Run(ctx context.Context, changed <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		for {
			again := r.try(ctx)
			if again == 0 {
				break
			}
			select {
			case <-ctx.Done():
				return
			case <-changed:
			case <-time.After(again):
			}
		}
	}
}

// try runs a pass and returns the delay until it must be repeated, 0 if it succeeded.
func (r Rewriter) try(ctx context.Context) (again time.Duration) {
	if r.Ready() != nil {
		// The guard of the store reports this error.
		return readyRetry
	}
	if err := r.Rewrite(ctx); err != nil && ctx.Err() == nil {
		klog.FromContext(ctx).Error(err, "Not all objects in the store are encrypted with the first seed yet: keep the older seeds in the "+
			"Secret",
			"secret", SecretName, "retryAfter", rewriteRetry)
		return rewriteRetry
	}
	if r.Done != nil && ctx.Err() == nil {
		r.Done()
	}
	return 0
}

// Rewrite runs one pass, and a second one after Settle, unless a rewrite for this seed was
// completed before. If it returns nil, no value in the store needs another seed.
func (r Rewriter) Rewrite(ctx context.Context) error {
	writes, writer := r.Seeds.writes(), byProvider
	if r.Provider {
		writes = nil
	} else {
		writer = string(writes)
	}
	// The mark is removed first: a pass may be interrupted, and the next one may be for the
	// previous seed.
	complete, err := unmark(ctx, r.KV, r.Prefix, writer)
	if complete || err != nil {
		return err
	}
	count, err := r.pass(ctx, writes)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(r.Settle):
	}
	late, err := r.pass(ctx, writes)
	if err != nil {
		return err
	}
	if !r.Provider && !bytes.Equal(writes, r.Seeds.writes()) {
		return errors.New("the first seed has changed in the meantime")
	}
	if err := setMark(ctx, r.KV, r.Prefix, writer); err != nil {
		return err
	}
	if count+late == 0 {
		return nil
	}
	klog.FromContext(ctx).Info("All objects in the store are encrypted with the current key; older seeds can be removed from the Secret",
		"secret", SecretName, "rewritten", count+late)
	return nil
}

// pass writes every stale value once and returns their number. It skips values that cannot be read,
// and reports them at the end.
func (r Rewriter) pass(ctx context.Context, writes []byte) (count int, err error) {
	var errs []error
	for page, err := range pages.All(ctx, r.KV, r.Prefix+"/", pages.Fixed(rewritePage)) {
		if err != nil {
			return count, errors.Join(append(errs, fmt.Errorf("read the store: %w", err))...)
		}
		for _, stored := range page.Kvs {
			if r.fresh(stored, writes) {
				continue
			}
			if err := r.rewrite(ctx, stored); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", stored.Key, err))
				continue
			}
			count++
		}
	}
	return count, errors.Join(errs...)
}

// fresh reports whether a value needs no rewrite: it was encrypted with the first seed, or it is
// not the value of an object. Values of a provider are rotated by the provider.
func (r Rewriter) fresh(stored *mvccpb.KeyValue, writes []byte) bool {
	if strings.HasPrefix(string(stored.Key), r.Prefix+"/__") {
		return true
	}
	if r.Provider {
		return !bytes.HasPrefix(stored.Value, []byte(mark))
	}
	return bytes.HasPrefix(stored.Value, writes)
}

// rewrite replaces a value unless it has changed in the meantime, in which case it already has the
// current key.
func (r Rewriter) rewrite(ctx context.Context, stored *mvccpb.KeyValue) error {
	key := string(stored.Key)
	transformer, at := r.Transformers.TransformerForResource(r.Resource(key)), value.DefaultContext(stored.Key)
	plain, _, err := transformer.TransformFromStorage(ctx, stored.Value, at)
	if err != nil {
		return err
	}
	anew, err := transformer.TransformToStorage(ctx, plain, at)
	if err != nil {
		return err
	}
	_, err = r.KV.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(key), "=", stored.ModRevision)).
		Then(clientv3.OpPut(key, string(anew))).
		Commit()
	return err
}
