// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"

	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// store is an etcd with objects that a seed wrote.
func store(t *testing.T, seeds *Transformers, count int) *clientv3.Client {
	t.Helper()
	server, err := etcd.Start(t.Context(), t.TempDir(), "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint()}, DialTimeout: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	for number := range count {
		key := fmt.Sprintf("/registry/test/g/things/ns/%04d", number)
		text, err := seeds.TransformerForResource(schema.GroupResource{}).TransformToStorage(t.Context(), []byte(key), value.DefaultContext(key))
		require.NoError(t, err)
		_, err = client.Put(t.Context(), key, string(text))
		require.NoError(t, err)
	}
	_, err = client.Put(t.Context(), "/registry/test/__identity", "not an object")
	require.NoError(t, err)
	_, err = client.Put(t.Context(), "/registry/testing/g/things/ns/other", "of somebody else")
	require.NoError(t, err)
	return client
}

// revisions returns the modification revision of each object, and requires that it can be read.
func revisions(t *testing.T, client *clientv3.Client, seeds value.ResourceTransformers) map[string]int64 {
	t.Helper()
	all, err := client.Get(t.Context(), "/registry/test/g/", clientv3.WithPrefix())
	require.NoError(t, err)
	found := map[string]int64{}
	for _, kv := range all.Kvs {
		plain, _, err := seeds.TransformerForResource(users).TransformFromStorage(t.Context(), kv.Value, value.DefaultContext(kv.Key))
		require.NoError(t, err)
		require.Equal(t, kv.Key, plain)
		found[string(kv.Key)] = kv.ModRevision
	}
	return found
}

func rewriter(client *clientv3.Client, seeds *Transformers) Rewriter {
	return Rewriter{KV: client, Prefix: "/registry/test", Seeds: seeds, Transformers: seeds,
		Resource: func(string) schema.GroupResource { return users }, Settle: time.Millisecond}
}

func TestRewrite(t *testing.T) {
	ctx := t.Context()
	seeds, _ := all(t, seed(1))
	client := store(t, seeds, rewritePage+1)
	before := revisions(t, client, seeds)
	require.Len(t, before, rewritePage+1)
	require.NoError(t, rewriter(client, seeds).Rewrite(ctx))
	require.Equal(t, before, revisions(t, client, seeds), "nothing was stale")

	_, err := seeds.Use([][]byte{seed(2), seed(1)})
	require.NoError(t, err)
	require.NoError(t, rewriter(client, seeds).Rewrite(ctx))
	rotated, _ := all(t, seed(2))
	after := revisions(t, client, rotated)
	for key := range before {
		assert.Greater(t, after[key], before[key])
	}
	require.NoError(t, rewriter(client, seeds).Rewrite(ctx))
	require.Equal(t, after, revisions(t, client, rotated), "it is done once")
	for key, want := range map[string]string{"/registry/test/__identity": "not an object",
		"/registry/testing/g/things/ns/other": "of somebody else"} {
		kept, err := client.Get(ctx, key)
		require.NoError(t, err)
		assert.Equal(t, want, string(kept.Kvs[0].Value))
	}
}

// A value that cannot be read must not prevent the rewrite of the others, and must be kept and
// reported.
func TestRewriteReportsWhatItCannotRead(t *testing.T) {
	ctx := t.Context()
	seeds, _ := all(t, seed(1))
	client := store(t, seeds, 2)
	_, err := client.Put(ctx, "/registry/test/g/things/ns/0000", "damaged")
	require.NoError(t, err)
	_, err = seeds.Use([][]byte{seed(2), seed(1)})
	require.NoError(t, err)
	for range 2 {
		err = rewriter(client, seeds).Rewrite(ctx)
		require.ErrorIs(t, err, ErrUnknownSeed)
		assert.ErrorContains(t, err, "/registry/test/g/things/ns/0000", "it is said again until it is mended")
	}
	kept, err := client.Get(ctx, "/registry/test/g/things/ns/0000")
	require.NoError(t, err)
	assert.Equal(t, "damaged", string(kept.Kvs[0].Value))
	other, err := client.Get(ctx, "/registry/test/g/things/ns/0001")
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(other.Kvs[0].Value), mark+name(seed(2))))
}

// A refused store is not written; the pass runs after it was accepted.
func TestRewriteWaitsForTheStore(t *testing.T) {
	seeds, _ := all(t, seed(1))
	client := store(t, seeds, 1)
	_, err := seeds.Use([][]byte{seed(2), seed(1)})
	require.NoError(t, err)
	accepted := false
	r := rewriter(client, seeds)
	r.Ready = func() error {
		if accepted {
			return nil
		}
		return errors.New("another store")
	}
	before := revisions(t, client, seeds)
	assert.Equal(t, readyRetry, r.try(t.Context()))
	assert.Equal(t, before, revisions(t, client, seeds))
	accepted = true
	done := 0
	r.Done = func() { done++ }
	assert.Zero(t, r.try(t.Context()))
	assert.Equal(t, 1, done)
	assert.NotEqual(t, before, revisions(t, client, seeds))
}

func TestRewriteForAProvider(t *testing.T) {
	seeds, _ := all(t, seed(1))
	client := store(t, seeds, 3)
	moved := rewriter(client, seeds)
	moved.Provider, moved.Transformers = true, seeds.Before(other{})
	require.NoError(t, moved.Rewrite(t.Context()))
	found, err := client.Get(t.Context(), "/registry/test/g/", clientv3.WithPrefix())
	require.NoError(t, err)
	require.Len(t, found.Kvs, 3)
	for _, kv := range found.Kvs {
		assert.Equal(t, kv.Key, kv.Value, "the provider of the test does not encrypt")
	}
}
