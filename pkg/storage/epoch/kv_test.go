// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// operations are one of each kind. Each fails if its condition does not hold.
var operations = map[string]func(context.Context, clientv3.KV) error{
	"get": func(ctx context.Context, kv clientv3.KV) error { _, err := kv.Get(ctx, object); return err },
	"list": func(ctx context.Context, kv clientv3.KV) error {
		_, err := kv.Get(ctx, prefix+"/apps/", clientv3.WithPrefix(), clientv3.WithLimit(1))
		return err
	},
	"put":    func(ctx context.Context, kv clientv3.KV) error { _, err := kv.Put(ctx, object, "x"); return err },
	"delete": func(ctx context.Context, kv clientv3.KV) error { _, err := kv.Delete(ctx, object); return err },
	"create": func(ctx context.Context, kv clientv3.KV) error {
		_, err := kv.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(object+"/new"), "=", 0)).
			Then(clientv3.OpPut(object+"/new", "x")).Else(clientv3.OpGet(object + "/new")).Commit()
		return err
	},
	"conflict": func(ctx context.Context, kv clientv3.KV) error {
		_, err := kv.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(object), "=", 1)).
			Then(clientv3.OpPut(object, "x")).Else(clientv3.OpGet(object)).Commit()
		return err
	},
	"write in else": func(ctx context.Context, kv clientv3.KV) error {
		_, err := kv.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(object), "=", 1)).Else(clientv3.OpPut(object, "x")).Commit()
		return err
	},
	"nested write in else": func(ctx context.Context, kv clientv3.KV) error {
		inner := clientv3.OpTxn(nil, []clientv3.Op{clientv3.OpPut(object, "x")}, nil)
		_, err := kv.Do(ctx, clientv3.OpTxn([]clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(object), "=", 1)}, nil, []clientv3.Op{inner}))
		return err
	},
	"tick": func(ctx context.Context, kv clientv3.KV) error {
		_, err := kv.Txn(ctx).If(clientv3.Compare(clientv3.Value(TickKey(prefix)), "=", "5")).Then(clientv3.OpPut(TickKey(prefix), "6")).Commit()
		return err
	},
	"compact": func(ctx context.Context, kv clientv3.KV) error { _, err := kv.Compact(ctx, 2); return err },
}

func TestKV_OperationsSucceedOnTheBoundStore(t *testing.T) {
	for name, operation := range operations {
		t.Run(name, func(t *testing.T) {
			s := newSetup(t)
			require.NoError(t, operation(t.Context(), s.kv))
			require.Nil(t, s.timeline.Failure())
		})
	}
}

// foreignStores returns stores that are not the bound one. Those that take writes differ by what cannot be compared.
func foreignStores(t *testing.T, s *setup) (stores map[string]*store, takesWrites map[string]bool) {
	t.Helper()
	older := s.store.fork(2)
	require.True(t, tick(t, s.kv))
	younger := s.store.fork(3)
	grow(t, s.store, 1)
	_, err := s.kv.Get(t.Context(), object)
	require.NoError(t, err)

	grown := older.fork(4)
	grow(t, grown, 20)
	ticked := older.fork(5)
	put(t, ticked, object, "of a copy")
	put(t, ticked, TickKey(prefix), EncodeTick(6))
	grow(t, ticked, 20)
	empty, accepted, again, cluster := newStore(6, s.store.cluster), s.store.fork(7), s.store.fork(8), s.store.fork(9)
	mark(t, accepted, Mark{StoreID: bound.StoreID, Epoch: 3, Nonce: "m"}, 6)
	mark(t, again, bound, 6)
	cluster.cluster++
	foreign, broken := newStore(10, 8), s.store.fork(11)
	mark(t, foreign, Mark{StoreID: "b", Epoch: 2, Nonce: "n"}, 50)
	grow(t, foreign, 50)
	put(t, broken, Key(prefix), "?")
	put(t, broken, TickKey(prefix), "?")
	return map[string]*store{
		"older copy": older, "older copy, grown": grown, "copy with the same tick": ticked, "empty": empty, "accepted anew": accepted,
		"marked again": again, "another cluster id": cluster, "foreign": foreign, "unreadable marks": broken, "copy since the tick": younger,
	}, map[string]bool{"another cluster id": true, "copy since the tick": true, "copy with the same tick": true}
}

func TestKV_ForeignStores(t *testing.T) {
	names, takesWrites := foreignStores(t, newSetup(t))
	for name := range names {
		for kind, operation := range operations {
			t.Run(name+"/"+kind, func(t *testing.T) {
				s := newSetup(t)
				stores, _ := foreignStores(t, s)
				foreign := stores[name]
				before := foreign.current()
				s.front.swap(foreign)
				var failure *ForeignError
				require.ErrorAs(t, operation(t.Context(), s.kv), &failure)
				if !takesWrites[name] {
					require.Equal(t, before, foreign.current(), "a write was executed on a foreign store")
				}
				require.LessOrEqual(t, foreign.current(), before+1)
				require.EqualValues(t, -1, foreign.compacted)
				require.Len(t, s.foreign, 1)

				// The failure is final, also if the bound store returns.
				s.front.swap(s.store)
				calls := s.front.calls
				for _, operation := range operations {
					require.ErrorIs(t, operation(t.Context(), s.kv), failure)
				}
				require.Equal(t, calls, s.front.calls)
				require.Len(t, s.foreign, 1)
			})
		}
	}
}

func TestKV_AnswersFromBeforeOtherAnswersAreValid(t *testing.T) {
	s := newSetup(t)
	// While the first read is on its way back, another call learns a later revision and tick.
	s.front.after = func(resp *pb.TxnResponse, err error) (*pb.TxnResponse, error) {
		s.front.after = nil
		require.True(t, tick(t, s.kv))
		return resp, err
	}
	resp, err := s.kv.Get(t.Context(), object)
	require.NoError(t, err)
	known, _ := s.timeline.Bound()
	require.Less(t, resp.Header.Revision, known.Revision)
}

func TestKV_CallersConflictIsNoFailure(t *testing.T) {
	s := newSetup(t)
	resp, err := s.kv.Txn(t.Context()).If(clientv3.Compare(clientv3.ModRevision(object), "=", 1)).
		Then(clientv3.OpPut(object, "x")).Else(clientv3.OpGet(object)).Commit()
	require.NoError(t, err)
	require.False(t, resp.Succeeded)
	require.Len(t, resp.Responses, 1)
	require.Equal(t, "1", string(resp.Responses[0].GetResponseRange().Kvs[0].Value))

	// Another server ticked: that is a conflict of the tick's writer only.
	put(t, s.store, TickKey(prefix), "6")
	resp, err = s.kv.Txn(t.Context()).If(clientv3.Compare(clientv3.Value(TickKey(prefix)), "=", "5")).
		Then(clientv3.OpPut(TickKey(prefix), "6")).Commit()
	require.NoError(t, err)
	require.False(t, resp.Succeeded)
	known, _ := s.timeline.Bound()
	require.EqualValues(t, 6, known.Tick)
}
