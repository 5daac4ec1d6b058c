// SPDX-License-Identifier: Apache-2.0

// Package epochtest prepares stores for tests of what uses a store.
package epochtest

import (
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"roadstead.dev/roadstead/pkg/storage/epoch"
)

// Open marks a store, binds a timeline to it and opens it. raw must not be checked by the timeline.
func Open(t *testing.T, timeline *epoch.Timeline, raw clientv3.KV, prefix string) {
	t.Helper()
	_, err := raw.Txn(t.Context()).Then(
		clientv3.OpPut(epoch.Key(prefix), epoch.Mark{StoreID: "test", Epoch: 1, Nonce: "test"}.Encode()),
		clientv3.OpPut(epoch.TickKey(prefix), epoch.EncodeTick(1)),
	).Commit()
	require.NoError(t, err)
	from, end := epoch.MarksRange(prefix)
	found, err := raw.Get(t.Context(), from, clientv3.WithRange(end))
	require.NoError(t, err)
	tuple, err := epoch.Observe(prefix, found.Header, found.Kvs)
	require.NoError(t, err)
	require.NoError(t, timeline.Bind(tuple))
	require.NoError(t, timeline.Open())
}
