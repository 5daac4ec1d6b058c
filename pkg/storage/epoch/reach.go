// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var errAway = status.Error(codes.Unavailable, "etcd is unavailable")

// SetReachable sets whether etcd responds. While it does not, calls of clients from WithMarks fail
// immediately; otherwise etcd's client would wait for a connection until the request times out. A
// new Timeline is reachable. Clients from Early and watches are not affected.
func (t *Timeline) SetReachable(reachable bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !reachable:
		t.away()
	case t.reach.Err() != nil:
		t.reach, t.away = context.WithCancel(context.Background())
	}
}

// reaching is a client whose calls end when etcd becomes unavailable.
type reaching struct {
	*kv
}

// during runs a call with a context that ends with ctx, or when etcd becomes unavailable.
func during[Out any](ctx context.Context, t *Timeline, call func(context.Context) (Out, error)) (Out, error) {
	t.mu.Lock()
	reach := t.reach
	t.mu.Unlock()
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(reach, cancel)
	defer stop()
	out, err := call(bounded)
	if err != nil && reach.Err() != nil && ctx.Err() == nil && t.Failure() == nil {
		err = errAway
	}
	return out, err
}

func (r reaching) Range(ctx context.Context, in *pb.RangeRequest, opts ...grpc.CallOption) (*pb.RangeResponse, error) {
	return during(ctx, r.timeline, func(ctx context.Context) (*pb.RangeResponse, error) { return r.kv.Range(ctx, in, opts...) })
}

func (r reaching) Put(ctx context.Context, in *pb.PutRequest, opts ...grpc.CallOption) (*pb.PutResponse, error) {
	return during(ctx, r.timeline, func(ctx context.Context) (*pb.PutResponse, error) { return r.kv.Put(ctx, in, opts...) })
}

func (r reaching) DeleteRange(ctx context.Context, in *pb.DeleteRangeRequest, opts ...grpc.CallOption) (*pb.DeleteRangeResponse, error) {
	return during(ctx, r.timeline, func(ctx context.Context) (*pb.DeleteRangeResponse, error) { return r.kv.DeleteRange(ctx, in, opts...) })
}

func (r reaching) Txn(ctx context.Context, in *pb.TxnRequest, opts ...grpc.CallOption) (*pb.TxnResponse, error) {
	return during(ctx, r.timeline, func(ctx context.Context) (*pb.TxnResponse, error) { return r.kv.Txn(ctx, in, opts...) })
}

func (r reaching) Compact(ctx context.Context, in *pb.CompactionRequest, opts ...grpc.CallOption) (*pb.CompactionResponse, error) {
	return during(ctx, r.timeline, func(ctx context.Context) (*pb.CompactionResponse, error) { return r.kv.Compact(ctx, in, opts...) })
}
