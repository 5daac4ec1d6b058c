// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"strconv"
	"sync"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

const prefix = "/registry/roadstead.dev"

var bound = Mark{StoreID: "a", Epoch: 2, Nonce: "n"}

// require.TestingT alone is not enough for contexts, *rapid.T and testing.TB share these.
type testingT interface {
	require.TestingT
	Helper()
	Context() context.Context
}

// mark writes marks to a store as a first start does.
func mark(t testingT, raw pb.KVClient, mark Mark, tick int64) {
	t.Helper()
	_, err := raw.Txn(t.Context(), &pb.TxnRequest{Success: []*pb.RequestOp{
		putOp(&pb.PutRequest{Key: []byte(Key(prefix)), Value: []byte(mark.Encode())}),
		putOp(&pb.PutRequest{Key: []byte(TickKey(prefix)), Value: []byte(EncodeTick(tick))}),
	}})
	require.NoError(t, err)
}

// observe reads the point at which a store is.
func observe(t testingT, raw pb.KVClient) Tuple {
	t.Helper()
	key, end := MarksRange(prefix)
	resp, err := raw.Range(t.Context(), &pb.RangeRequest{Key: []byte(key), RangeEnd: []byte(end)})
	require.NoError(t, err)
	tuple, err := Observe(prefix, resp.Header, resp.Kvs)
	require.NoError(t, err)
	return tuple
}

// put changes a store past every check, as another server does.
func put(t testingT, raw pb.KVClient, key, value string) {
	t.Helper()
	_, err := raw.Put(t.Context(), &pb.PutRequest{Key: []byte(key), Value: []byte(value)})
	require.NoError(t, err)
}

// tick raises the tick as the guard of the identity does, and reports whether no other server did at the same time.
func tick(t testingT, kv clientv3.KV) bool {
	t.Helper()
	resp, err := kv.Get(t.Context(), TickKey(prefix))
	require.NoError(t, err)
	last, err := ParseTick(resp.Kvs[0].Value)
	require.NoError(t, err)
	txn, err := kv.Txn(t.Context()).If(clientv3.Compare(clientv3.Value(TickKey(prefix)), "=", EncodeTick(last))).
		Then(clientv3.OpPut(TickKey(prefix), EncodeTick(last+1))).Commit()
	require.NoError(t, err)
	return txn.Succeeded
}

// front is an address behind which the store can be replaced.
type front struct {
	mu     sync.Mutex
	target pb.KVClient
	// before is called ahead of each transaction with its number, from 1. An error is the answer, instead of the
	// store's.
	before func(n int) error
	// after may replace an answer.
	after func(*pb.TxnResponse, error) (*pb.TxnResponse, error)
	calls int
	// stall lets transactions wait until their context ends.
	stall bool
}

func (f *front) swap(target pb.KVClient) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.target = target
}

func (f *front) get() pb.KVClient {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.target
}

func (f *front) Txn(ctx context.Context, in *pb.TxnRequest, opts ...grpc.CallOption) (*pb.TxnResponse, error) {
	f.mu.Lock()
	f.calls++
	before, after, n := f.before, f.after, f.calls
	f.mu.Unlock()
	if before != nil {
		if err := before(n); err != nil {
			return nil, err
		}
	}
	if f.stall {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	resp, err := f.get().Txn(ctx, in, opts...)
	if after != nil {
		return after(resp, err)
	}
	return resp, err
}

func (f *front) Range(ctx context.Context, in *pb.RangeRequest, opts ...grpc.CallOption) (*pb.RangeResponse, error) {
	return f.get().Range(ctx, in, opts...)
}

func (f *front) Put(ctx context.Context, in *pb.PutRequest, opts ...grpc.CallOption) (*pb.PutResponse, error) {
	return f.get().Put(ctx, in, opts...)
}

func (f *front) DeleteRange(ctx context.Context, in *pb.DeleteRangeRequest, opts ...grpc.CallOption) (*pb.DeleteRangeResponse, error) {
	return f.get().DeleteRange(ctx, in, opts...)
}

func (f *front) Compact(ctx context.Context, in *pb.CompactionRequest, opts ...grpc.CallOption) (*pb.CompactionResponse, error) {
	return f.get().Compact(ctx, in, opts...)
}

func (f *front) RangeStream(ctx context.Context, in *pb.RangeRequest, opts ...grpc.CallOption) (pb.KV_RangeStreamClient, error) {
	return f.get().RangeStream(ctx, in, opts...)
}

// setup is a bound and open Timeline over a store in memory that holds key "/object" = "1" and tick 5.
type setup struct {
	store    *store
	front    *front
	timeline *Timeline
	kv       clientv3.KV
	foreign  []error
}

const object = prefix + "/apps/things/object"

func newSetup(t testingT) *setup {
	t.Helper()
	s := &setup{store: newStore(1, 7)}
	s.front = &front{target: s.store}
	mark(t, s.store, bound, 4)
	put(t, s.store, TickKey(prefix), EncodeTick(5))
	put(t, s.store, object, "1")
	s.timeline = New(prefix, func(err error) { s.foreign = append(s.foreign, err) })
	require.NoError(t, s.timeline.Bind(observe(t, s.store)))
	require.NoError(t, s.timeline.Open())
	s.kv = clientv3.NewKVFromKVClient(s.timeline.WithMarks(s.front), nil)
	return s
}

// grow raises the revision of a store.
func grow(t testingT, raw pb.KVClient, writes int) {
	t.Helper()
	for n := range writes {
		put(t, raw, prefix+"/apps/things/other", strconv.Itoa(n))
	}
}
