// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	clocktesting "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/storage/encryption"
	"roadstead.dev/roadstead/pkg/storage/etcd"
)

const patience = 2 * time.Minute

func newClaims(t *testing.T) (*Claims, *clocktesting.FakeClock) {
	t.Helper()
	server, err := etcd.Start(t.Context(), t.TempDir(), "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint()}, DialTimeout: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	clock := clocktesting.NewFakeClock(time.Now())
	return &Claims{Client: client, Prefix: "/registry/test", Patience: patience, Clock: clock, Transformer: identity.NewEncryptCheckTransformer()}, clock
}

func object(name string) Owner {
	return Owner{Resource: "domains.takaro.roadstead.dev", Namespace: "ns", Name: name, UID: types.UID(name + "-uid")}
}

func stored(answer bool) OwnerExists {
	return func(context.Context, Owner) (bool, error) { return answer, nil }
}

func TestClaims(t *testing.T) {
	claims, clock := newClaims(t)
	ctx := t.Context()
	first, second := object("first"), object("second")
	take := func(key string, owner Owner, exists, dry bool) error {
		return claims.Take(ctx, "kind", key, owner, stored(exists), dry)
	}
	claimedBy := func(t *testing.T, owner Owner, err error) {
		t.Helper()
		var claimed *ClaimedError
		require.ErrorAs(t, err, &claimed)
		require.Equal(t, owner, claimed.Holder)
	}
	require.NoError(t, take("a", first, true, true), "a dry run takes nothing")
	require.NoError(t, take("a", second, true, true))
	require.NoError(t, take("a", first, true, false))
	require.NoError(t, take("a", first, true, false), "one's own claim again")
	claimedBy(t, first, take("a", second, true, false))
	claimedBy(t, first, take("a", second, true, true))
	claimedBy(t, first, take("a", second, false, false))
	require.NoError(t, take("b", second, true, false), "another value")
	require.NoError(t, claims.Take(ctx, "another kind", "a", second, stored(true), false))

	require.NoError(t, claims.Free(ctx, "kind", "a", second), "not one's own: nothing happens")
	claimedBy(t, first, take("a", second, true, false))
	clock.Step(patience + time.Second)
	claimedBy(t, first, take("a", second, true, false))
	require.NoError(t, take("a", second, false, false), "an old claim whose owner is gone is free")
	claimedBy(t, second, take("a", first, true, false))
	require.NoError(t, claims.Free(ctx, "kind", "a", second))
	require.NoError(t, claims.Free(ctx, "kind", "a", second), "freed before")
	require.NoError(t, take("a", first, true, false))
}

func TestAnOwnerThatCannotBeLookedUpKeepsItsClaim(t *testing.T) {
	claims, clock := newClaims(t)
	require.NoError(t, claims.Take(t.Context(), "kind", "a", object("first"), stored(true), false))
	clock.Step(patience + time.Second)
	broken := errors.New("store is down")
	err := claims.Take(t.Context(), "kind", "a", object("second"), func(context.Context, Owner) (bool, error) { return false, broken }, false)
	require.ErrorIs(t, err, broken)
}

func TestFreeOutlivesItsRequest(t *testing.T) {
	claims, _ := newClaims(t)
	require.NoError(t, claims.Take(t.Context(), "kind", "a", object("first"), stored(true), false))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, claims.Free(ended, "kind", "a", object("first")))
	require.NoError(t, claims.Take(t.Context(), "kind", "a", object("second"), stored(true), false))
}

func TestDamagedRecordIsNeverTaken(t *testing.T) {
	claims, _ := newClaims(t)
	_, err := claims.Client.Put(t.Context(), claims.Path("kind", "a"), "{")
	require.NoError(t, err)
	require.ErrorContains(t, claims.Take(t.Context(), "kind", "a", object("first"), stored(false), false), "damaged")
	require.ErrorContains(t, claims.Free(t.Context(), "kind", "a", object("first")), "damaged")
}

func TestOneOfManyTakesAClaim(t *testing.T) {
	claims, clock := newClaims(t)
	require.NoError(t, claims.Take(t.Context(), "kind", "a", object("gone"), stored(true), false))
	clock.Step(patience + time.Second)
	var group sync.WaitGroup
	var won atomic.Int32
	for i := range 32 {
		group.Go(func() {
			err := claims.Take(t.Context(), "kind", "a", object(fmt.Sprint(i)), stored(false), false)
			var claimed *ClaimedError
			switch {
			case err == nil:
				won.Add(1)
			case !errors.As(err, &claimed):
				assert.NoError(t, err)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 1, won.Load())
}

func TestClaimsAreEncrypted(t *testing.T) {
	claims, _ := newClaims(t)
	ctx := t.Context()
	seeds, err := encryption.NewTransformers([][]byte{bytes.Repeat([]byte{1}, encryption.SeedSize)}, func(schema.GroupResource) {})
	require.NoError(t, err)
	claims.Transformer = seeds.TransformerForResource(ClaimsResource)
	require.NoError(t, claims.Take(ctx, "kind", "user@example.com", object("owner"), stored(true), false))
	raw, err := claims.Client.Get(ctx, "/registry/test/claims/", clientv3.WithPrefix())
	require.NoError(t, err)
	require.Len(t, raw.Kvs, 1)
	assert.NotContains(t, string(raw.Kvs[0].Value), "example.com")
	assert.Error(t, claims.Take(ctx, "kind", "user@example.com", object("another"), stored(true), false))
	require.NoError(t, claims.Free(ctx, "kind", "user@example.com", object("owner")))
	assert.NoError(t, claims.Take(ctx, "kind", "user@example.com", object("another"), stored(true), false))

	others, err := encryption.NewTransformers([][]byte{bytes.Repeat([]byte{2}, encryption.SeedSize)}, func(schema.GroupResource) {})
	require.NoError(t, err)
	claims.Transformer = others.TransformerForResource(ClaimsResource)
	assert.ErrorIs(t, claims.Take(ctx, "kind", "user@example.com", object("another"), stored(true), false), encryption.ErrUnknownSeed)
}
