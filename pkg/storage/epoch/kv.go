// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Reads are repeated for as long as etcd's client would repeat them. The client does not repeat
// transactions, which these reads are.
const (
	readPatience = 2500 * time.Millisecond
	readInterval = 25 * time.Millisecond
)

var (
	errSerializable = status.Error(codes.InvalidArgument, "serializable reads are not supported: a member that lags answers them")
	errStream       = status.Error(codes.Unimplemented, "streamed reads are not supported: their answers cannot be checked")
	errIncomplete   = status.Error(codes.Internal, "the answer of etcd does not have the parts that were requested")
)

// kv is a client that returns only responses of the bound timeline.
type kv struct {
	timeline *Timeline
	raw      pb.KVClient
	gate     <-chan struct{}
}

// WithMarks returns a client that checks every answer of the given one. Its calls wait until the store is open.
// clientv3.NewKVFromKVClient turns it into a clientv3.KV.
func (t *Timeline) WithMarks(raw pb.KVClient) pb.KVClient {
	return reaching{&kv{timeline: t, raw: raw, gate: t.opened}}
}

// Early returns a client like that of WithMarks, except that it works once the store is bound. It is for what must
// be proved from the store before callers may use it.
func (t *Timeline) Early(raw pb.KVClient) pb.KVClient {
	return &kv{timeline: t, raw: raw, gate: t.bound}
}

// Range reads in one transaction with the marks.
func (k *kv) Range(ctx context.Context, in *pb.RangeRequest, opts ...grpc.CallOption) (*pb.RangeResponse, error) {
	if in.GetSerializable() {
		return nil, errSerializable
	}
	resp, err := k.read(ctx, &pb.TxnRequest{Success: []*pb.RequestOp{rangeOp(in), k.timeline.marks.read}}, opts)
	if err != nil {
		return nil, err
	}
	out := resp.Responses[0].GetResponseRange()
	if out == nil {
		return nil, errIncomplete
	}
	out.Header = resp.Header
	return out, nil
}

// RangeStream is not supported. The marks cannot be read in the same transaction as a stream.
func (k *kv) RangeStream(context.Context, *pb.RangeRequest, ...grpc.CallOption) (pb.KV_RangeStreamClient, error) {
	return nil, errStream
}

// Put writes in a transaction that compares the marks.
func (k *kv) Put(ctx context.Context, in *pb.PutRequest, opts ...grpc.CallOption) (*pb.PutResponse, error) {
	first, header, err := k.single(ctx, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: in}}, opts)
	if err != nil {
		return nil, err
	}
	out := first.GetResponsePut()
	if out == nil {
		return nil, errIncomplete
	}
	out.Header = header
	return out, nil
}

// DeleteRange deletes in a transaction that compares the marks.
func (k *kv) DeleteRange(ctx context.Context, in *pb.DeleteRangeRequest, opts ...grpc.CallOption) (*pb.DeleteRangeResponse, error) {
	first, header, err := k.single(ctx, &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: in}}, opts)
	if err != nil {
		return nil, err
	}
	out := first.GetResponseDeleteRange()
	if out == nil {
		return nil, errIncomplete
	}
	out.Header = header
	return out, nil
}

// Compact proves the timeline by a read before it discards history.
func (k *kv) Compact(ctx context.Context, in *pb.CompactionRequest, opts ...grpc.CallOption) (*pb.CompactionResponse, error) {
	if err := k.verify(ctx, opts); err != nil {
		return nil, err
	}
	return k.raw.Compact(ctx, in, opts...)
}

// verify reads the marks only.
func (k *kv) verify(ctx context.Context, opts []grpc.CallOption) error {
	_, err := k.read(ctx, &pb.TxnRequest{Success: []*pb.RequestOp{k.timeline.marks.read}}, opts)
	return err
}

// read executes a transaction of reads of which the last reads the marks, and repeats it while etcd is unavailable.
func (k *kv) read(ctx context.Context, request *pb.TxnRequest, opts []grpc.CallOption) (*pb.TxnResponse, error) {
	before, err := k.timeline.admit(ctx, k.gate)
	if err != nil {
		return nil, err
	}
	resp, err := k.raw.Txn(ctx, request, opts...)
	// Limited by time and not by number, because the connection may repeat each attempt as well.
	for begin := time.Now(); status.Code(err) == codes.Unavailable && time.Since(begin) < readPatience; {
		if err := k.pause(ctx); err != nil {
			return nil, err
		}
		resp, err = k.raw.Txn(ctx, request, opts...)
	}
	if err != nil {
		return nil, err
	}
	found, err := lastRange(resp, len(request.Success))
	if err != nil {
		return nil, err
	}
	return resp, k.timeline.confirm(before, resp.Header, found, false)
}

func (k *kv) pause(ctx context.Context) error {
	timer := time.NewTimer(readInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-k.timeline.failed:
		return k.timeline.Failure()
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

// lastRange returns what the last of a number of operations read.
func lastRange(resp *pb.TxnResponse, operations int) ([]*mvccpb.KeyValue, error) {
	if len(resp.GetResponses()) != operations || operations == 0 {
		return nil, errIncomplete
	}
	last := resp.Responses[operations-1].GetResponseRange()
	if last == nil {
		return nil, errIncomplete
	}
	return last.Kvs, nil
}
