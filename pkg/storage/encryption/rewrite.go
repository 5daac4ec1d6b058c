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
	// rewritePage bounds one read.
	rewritePage = 500
	// rewriteRetry is how long a pass that failed is waited for, and readyRetry one that could not begin.
	rewriteRetry, readyRetry = 30 * time.Second, 2 * time.Second
)

// Rewriter encrypts what lies in the store again, when another seed than the one of its last write writes now. Without it
// an older seed could never be taken away: nothing else writes an object that nobody changes.
type Rewriter struct {
	// KV reads and writes the store.
	KV clientv3.KV
	// Prefix is the store's prefix; keys right below it that begin with two underscores are not objects.
	Prefix string
	// Seeds are the installation's.
	Seeds *Transformers
	// Transformers write: Seeds themselves, or those of a provider.
	Transformers value.ResourceTransformers
	// Provider says that Transformers are a provider's, so that everything that the seeds wrote is written again.
	Provider bool
	// Resource tells what lies under a key.
	Resource func(key string) schema.GroupResource
	// Settle is the time in which another replica hears of a change of the seeds.
	Settle time.Duration
	// Ready returns an error while the store must not be written.
	Ready func() error
	// Done is called after each pass that left nothing to another seed. It is optional.
	Done func()
}

// Run makes a pass for each value of changed, until ctx ends. A pass that fails is made again.
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

// try makes a pass and returns after which time to make it again, 0 when it is done.
func (r Rewriter) try(ctx context.Context) (again time.Duration) {
	if r.Ready() != nil {
		// Who looks after the store says so loudly enough.
		return readyRetry
	}
	if err := r.Rewrite(ctx); err != nil && ctx.Err() == nil {
		klog.FromContext(ctx).Error(err, "Not everything in the store is encrypted with the seed that writes now: keep the older seeds in the "+
			"Secret",
			"secret", SecretName, "retryAfter", rewriteRetry)
		return rewriteRetry
	}
	if r.Done != nil && ctx.Err() == nil {
		r.Done()
	}
	return 0
}

// Rewrite makes one pass, and a second one after Settle, unless it was made for this seed before. When it returns nil,
// nothing in the store needs another seed.
func (r Rewriter) Rewrite(ctx context.Context) error {
	writes, writer := r.Seeds.writes(), byProvider
	if r.Provider {
		writes = nil
	} else {
		writer = string(writes)
	}
	// The mark is removed first: a pass may end half-way, and the next one may be for the seed before.
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
		return errors.New("another seed has become the first one meanwhile")
	}
	if err := setMark(ctx, r.KV, r.Prefix, writer); err != nil {
		return err
	}
	if count+late == 0 {
		return nil
	}
	klog.FromContext(ctx).Info("Everything in the store is encrypted with the key that writes now; older seeds may be taken out of the Secret",
		"secret", SecretName, "rewritten", count+late)
	return nil
}

// pass writes every stale value once and returns how many there were. What cannot be read is left and reported at the
// end.
func (r Rewriter) pass(ctx context.Context, writes []byte) (count int, err error) {
	var errs []error
	for page, err := range pages.All(ctx, r.KV, r.Prefix+"/", pages.Fixed(rewritePage)) {
		if err != nil {
			return count, errors.Join(append(errs, fmt.Errorf("reading the store: %w", err))...)
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

// fresh tells whether a value needs no rewrite: the seed that writes wrote it, or it is none of an object's. What a
// provider wrote is the provider's to rotate.
func (r Rewriter) fresh(stored *mvccpb.KeyValue, writes []byte) bool {
	if strings.HasPrefix(string(stored.Key), r.Prefix+"/__") {
		return true
	}
	if r.Provider {
		return !bytes.HasPrefix(stored.Value, []byte(mark))
	}
	return bytes.HasPrefix(stored.Value, writes)
}

// rewrite replaces a value unless somebody has changed it meanwhile, who then wrote it with today's key.
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
