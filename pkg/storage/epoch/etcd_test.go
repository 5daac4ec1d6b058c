// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// up starts an etcd. The first of the clients uses its socket, the second calls it in this process.
func up(t testing.TB, dir string) (server *etcd.Server, remote, embedded pb.KVClient) {
	t.Helper()
	server, err := etcd.Start(t.Context(), dir, "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	return server, clientv3.RetryKVClient(dial(t, server.Endpoint())), server.KV()
}

func dial(t testing.TB, endpoint string) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 10 * time.Second, Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// opened returns a Timeline that is bound to the store as it is, and open.
func opened(t testingT, raw pb.KVClient) *Timeline {
	t.Helper()
	timeline := New(prefix, nil)
	require.NoError(t, timeline.Bind(observe(t, raw)))
	require.NoError(t, timeline.Open())
	return timeline
}

// execute runs one operation as a request of its own.
func execute(ctx context.Context, kv pb.KVClient, op *pb.RequestOp) (proto.Message, error) {
	switch op := op.Request.(type) {
	case *pb.RequestOp_RequestRange:
		return kv.Range(ctx, op.RequestRange)
	case *pb.RequestOp_RequestPut:
		return kv.Put(ctx, op.RequestPut)
	case *pb.RequestOp_RequestDeleteRange:
		return kv.DeleteRange(ctx, op.RequestDeleteRange)
	default:
		return kv.Txn(ctx, op.(*pb.RequestOp_RequestTxn).RequestTxn)
	}
}

// normal is an answer without what differs between two members.
func normal(answer proto.Message, err error) string {
	if err != nil {
		return status.Convert(err).String()
	}
	if header := answer.(interface{ GetHeader() *pb.ResponseHeader }).GetHeader(); header != nil {
		header.ClusterId, header.MemberId, header.RaftTerm = 0, 0, 0
	}
	return fmt.Sprint(answer)
}

func TestStore_AnswersLikeEtcd(t *testing.T) {
	_, _, real := up(t, t.TempDir())
	fake := newStore(1, 1)
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 5).Draw(t, "requests") {
			op := drawOp(t, fake.current(), 3)
			if changesTwice(op) {
				continue
			}
			require.Equal(t, normal(execute(t.Context(), real, op)), normal(execute(t.Context(), fake, op)))
		}
	})
}

func TestKV_AnswersLikeTheUncheckedClient(t *testing.T) {
	for _, transport := range []string{"remote", "embedded"} {
		t.Run(transport, func(t *testing.T) {
			_, plain, plainEmbedded := up(t, t.TempDir())
			_, raw, rawEmbedded := up(t, t.TempDir())
			if transport == "embedded" {
				plain, raw = plainEmbedded, rawEmbedded
			}
			mark(t, plain, bound, 1)
			mark(t, raw, bound, 1)
			timeline := opened(t, raw)
			checked := timeline.WithMarks(raw)
			rapid.Check(t, func(t *rapid.T) {
				for range rapid.IntRange(1, 5).Draw(t, "requests") {
					known, _ := timeline.Bound()
					op := drawOp(t, known.Revision, 3)
					require.Equal(t, normal(execute(t.Context(), plain, op)), normal(execute(t.Context(), checked, op)))
				}
				require.Nil(t, timeline.Failure())
			})
		})
	}
}

func TestKV_HeadersAreComplete(t *testing.T) {
	_, remote, embedded := up(t, t.TempDir())
	mark(t, remote, bound, 1)
	timeline := opened(t, remote)
	for name, raw := range map[string]pb.KVClient{"remote": remote, "embedded": embedded} {
		t.Run(name, func(t *testing.T) {
			op := rangeOp(&pb.RangeRequest{Key: []byte(object)})
			want, err := execute(t.Context(), raw, op)
			require.NoError(t, err)
			for _, kv := range []pb.KVClient{timeline.WithMarks(raw), timeline.Early(raw)} {
				got, err := execute(t.Context(), kv, op)
				require.NoError(t, err)
				require.True(t, proto.Equal(want, got), "%v and %v", want, got)
			}
		})
	}
}

func TestKV_OptionsOfTheClient(t *testing.T) {
	_, raw, _ := up(t, t.TempDir())
	mark(t, raw, bound, 1)
	for n := range 5 {
		put(t, raw, fmt.Sprint(prefix, "/apps/", n), fmt.Sprint(5-n))
	}
	timeline := opened(t, raw)
	plain, checked := clientv3.NewKVFromKVClient(raw, nil), clientv3.NewKVFromKVClient(timeline.WithMarks(raw), nil)
	all := prefix + "/apps/"
	get := func(options ...clientv3.OpOption) clientv3.Op {
		return clientv3.OpGet(all, append(options, clientv3.WithPrefix())...)
	}
	inner := clientv3.OpTxn([]clientv3.Cmp{clientv3.Compare(clientv3.Version(all+"1"), "=", 1)}, []clientv3.Op{get()}, nil)
	for name, op := range map[string]clientv3.Op{
		"prefix": get(), "limit": get(clientv3.WithLimit(2)), "count": get(clientv3.WithCountOnly()), "keys": get(clientv3.WithKeysOnly()),
		"revision":       get(clientv3.WithRev(4)),
		"compacted":      get(clientv3.WithRev(-1)),
		"future":         get(clientv3.WithRev(1000)),
		"sort":           get(clientv3.WithSort(clientv3.SortByValue, clientv3.SortAscend), clientv3.WithLimit(3)),
		"revisions":      get(clientv3.WithMinModRev(4), clientv3.WithMaxCreateRev(5)),
		"from key":       clientv3.OpGet(all+"3", clientv3.WithFromKey()),
		"range":          clientv3.OpGet(all+"1", clientv3.WithRange(all+"3")),
		"last":           clientv3.OpGet(all, clientv3.WithLastRev()...),
		"empty key":      clientv3.OpGet(""),
		"transaction":    clientv3.OpTxn(nil, []clientv3.Op{get(), inner}, nil),
		"else":           clientv3.OpTxn([]clientv3.Cmp{clientv3.Compare(clientv3.Version(all), ">", 1)}, nil, []clientv3.Op{inner, get()}),
		"compare prefix": clientv3.OpTxn([]clientv3.Cmp{clientv3.Compare(clientv3.Version(all), "=", 1).WithPrefix()}, []clientv3.Op{get()}, nil),
		"unknown lease":  clientv3.OpPut(all+"1", "x", clientv3.WithLease(12345)),
		"ignored value":  clientv3.OpPut(all+"none", "", clientv3.WithIgnoreValue()),
		"key twice":      clientv3.OpTxn(nil, []clientv3.Op{clientv3.OpPut(all, "1"), clientv3.OpPut(all, "2")}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			want, wantErr := plain.Do(t.Context(), op)
			got, err := checked.Do(t.Context(), op)
			require.Equal(t, wantErr, err)
			require.Equal(t, fmt.Sprint((*pb.RangeResponse)(want.Get())), fmt.Sprint((*pb.RangeResponse)(got.Get())))
			require.Equal(t, fmt.Sprint((*pb.TxnResponse)(want.Txn())), fmt.Sprint((*pb.TxnResponse)(got.Txn())))
		})
	}
}

func TestKV_TicksOfSeveralServers(t *testing.T) {
	_, raw, _ := up(t, t.TempDir())
	mark(t, raw, bound, 1)
	const servers, rounds = 3, 20
	successes := make(chan int, servers)
	for server := range servers {
		timeline := opened(t, raw)
		kv := clientv3.NewKVFromKVClient(timeline.WithMarks(raw), nil)
		go func() {
			count := 0
			defer func() { successes <- count }()
			for n := range rounds {
				_, err := kv.Put(t.Context(), fmt.Sprint(prefix, "/apps/", server), fmt.Sprint(n))
				if err == nil && tick(t, kv) {
					count++
				}
			}
			if timeline.Failure() != nil {
				count = -servers * rounds
			}
		}()
	}
	total := 0
	for range servers {
		total += <-successes
	}
	require.Positive(t, total)
	require.EqualValues(t, 1+total, observe(t, raw).Tick)
}

func TestKV_DeletesWorkWithoutSpace(t *testing.T) {
	server, raw, embedded := up(t, t.TempDir())
	mark(t, raw, bound, 1)
	put(t, raw, object, "1")
	_, err := pb.NewMaintenanceClient(dial(t, server.Endpoint()).ActiveConnection()).Alarm(t.Context(), &pb.AlarmRequest{
		Action: pb.AlarmRequest_ACTIVATE, Alarm: pb.AlarmType_NOSPACE,
	})
	require.NoError(t, err)
	timeline := opened(t, embedded)
	kv := clientv3.NewKVFromKVClient(timeline.WithMarks(embedded), nil)
	_, err = kv.Put(t.Context(), object, "2")
	require.ErrorIs(t, err, rpctypes.ErrNoSpace)
	deleted, err := kv.Delete(t.Context(), object)
	require.NoError(t, err)
	require.EqualValues(t, 1, deleted.Deleted)
	txn, err := kv.Txn(t.Context()).If(clientv3.Compare(clientv3.Version(object), "=", 0)).
		Then(clientv3.OpDelete(object)).Else(clientv3.OpGet(object)).Commit()
	require.NoError(t, err)
	require.True(t, txn.Succeeded)
}

func BenchmarkGet(b *testing.B) {
	_, remote, embedded := up(b, b.TempDir())
	mark(b, remote, bound, 1)
	put(b, remote, object, string(make([]byte, 1000)))
	timeline := opened(b, remote)
	for _, test := range []struct {
		name string
		kv   pb.KVClient
	}{
		{"remote", remote}, {"remote checked", timeline.WithMarks(remote)},
		{"embedded", embedded}, {"embedded checked", timeline.WithMarks(embedded)},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := test.kv.Range(b.Context(), &pb.RangeRequest{Key: []byte(object)})
				require.NoError(b, err)
			}
		})
	}
}
