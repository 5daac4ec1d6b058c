// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// markKey, below the prefix, names what encrypted everything in the store. It does not exist while that is not known.
	markKey = "__encryption"
	// byProvider is its value for --encryption-provider-config.
	byProvider = "provider"
)

// readMark returns the beginning of all values that the seed encrypted which is known to have encrypted everything, or
// byProvider, or "".
func readMark(ctx context.Context, kv clientv3.KV, prefix string) (string, error) {
	found, err := kv.Get(ctx, prefix+"/"+markKey)
	if err != nil {
		return "", fmt.Errorf("read %s/%s: %w", prefix, markKey, err)
	}
	if len(found.Kvs) == 0 {
		return "", nil
	}
	return string(found.Kvs[0].Value), nil
}

// unmark removes the mark unless it names the writer, and reports whether it does. It must be called before the writer
// writes: the mark of another one is no longer true then.
func unmark(ctx context.Context, kv clientv3.KV, prefix, writer string) (complete bool, err error) {
	marked, err := readMark(ctx, kv, prefix)
	if err != nil || marked == "" || marked == writer {
		return marked == writer && err == nil, err
	}
	if _, err := kv.Delete(ctx, prefix+"/"+markKey); err != nil {
		return false, fmt.Errorf("delete %s/%s: %w", prefix, markKey, err)
	}
	return false, nil
}

// setMark records that the writer encrypted everything.
func setMark(ctx context.Context, kv clientv3.KV, prefix, writer string) error {
	if _, err := kv.Put(ctx, prefix+"/"+markKey, writer); err != nil {
		return fmt.Errorf("write %s/%s: %w", prefix, markKey, err)
	}
	return nil
}
