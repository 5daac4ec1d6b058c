// SPDX-License-Identifier: Apache-2.0

// Package pages reads ranges of etcd that are too large for one answer.
package pages

import (
	"context"
	"iter"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Fixed returns a limit for All: every page has at most this number of keys.
func Fixed(limit int64) func(*clientv3.GetResponse) int64 {
	return func(*clientv3.GetResponse) int64 { return limit }
}

// All returns the pages of everything below a prefix, in the order of the keys. It calls limit before each page with the page
// before, nil at first, and reads at most that number of keys. The first error ends the sequence. Without a revision among the
// options, each page is read at a later revision than the one before.
func All(
	ctx context.Context, kv clientv3.KV, prefix string, limit func(last *clientv3.GetResponse) int64, options ...clientv3.OpOption,
) iter.Seq2[*clientv3.GetResponse, error] {
	return func(yield func(*clientv3.GetResponse, error) bool) {
		from, options := prefix, append(slices.Clip(options), clientv3.WithRange(clientv3.GetPrefixRangeEnd(prefix)))
		var page *clientv3.GetResponse
		for {
			next, err := kv.Get(ctx, from, append(options, clientv3.WithLimit(limit(page)))...)
			if err != nil {
				yield(nil, err)
				return
			}
			if page = next; !yield(page, nil) || !page.More || len(page.Kvs) == 0 {
				return
			}
			from = string(page.Kvs[len(page.Kvs)-1].Key) + "\x00"
		}
	}
}
