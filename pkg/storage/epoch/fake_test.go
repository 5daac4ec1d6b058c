// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"maps"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
)

type content map[string]*mvccpb.KeyValue

// store is an etcd in memory that can be copied. TestStore_AnswersLikeEtcd compares it with etcd.
type store struct {
	mu sync.Mutex
	// member is unique among the stores of a test, so each answer shows which store it is from.
	member, cluster     uint64
	revision, compacted int64
	history             map[int64]content
}

func newStore(member, cluster uint64) *store {
	return &store{member: member, cluster: cluster, revision: 1, compacted: -1, history: map[int64]content{1: {}}}
}

// fork returns a copy that goes on by itself.
func (s *store) fork(member uint64) *store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &store{
		member: member, cluster: s.cluster, revision: s.revision, compacted: s.compacted, history: maps.Clone(s.history),
	}
}

func (s *store) current() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

func (s *store) header() *pb.ResponseHeader {
	return &pb.ResponseHeader{ClusterId: s.cluster, MemberId: s.member, Revision: s.revision}
}

func (s *store) Range(ctx context.Context, in *pb.RangeRequest, _ ...grpc.CallOption) (*pb.RangeResponse, error) {
	resp, err := s.Txn(ctx, &pb.TxnRequest{Success: []*pb.RequestOp{rangeOp(in)}})
	if err != nil {
		return nil, err
	}
	out := resp.Responses[0].GetResponseRange()
	out.Header = resp.Header
	return out, nil
}

func (s *store) Put(ctx context.Context, in *pb.PutRequest, _ ...grpc.CallOption) (*pb.PutResponse, error) {
	resp, err := s.Txn(ctx, &pb.TxnRequest{Success: []*pb.RequestOp{putOp(in)}})
	if err != nil {
		return nil, err
	}
	out := resp.Responses[0].GetResponsePut()
	out.Header = resp.Header
	return out, nil
}

func (s *store) DeleteRange(ctx context.Context, in *pb.DeleteRangeRequest, _ ...grpc.CallOption) (*pb.DeleteRangeResponse, error) {
	resp, err := s.Txn(ctx, &pb.TxnRequest{Success: []*pb.RequestOp{deleteOp(in)}})
	if err != nil {
		return nil, err
	}
	out := resp.Responses[0].GetResponseDeleteRange()
	out.Header = resp.Header
	return out, nil
}

func (s *store) Compact(_ context.Context, in *pb.CompactionRequest, _ ...grpc.CallOption) (*pb.CompactionResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case in.Revision <= s.compacted:
		return nil, rpctypes.ErrGRPCCompacted
	case in.Revision > s.revision:
		return nil, rpctypes.ErrGRPCFutureRev
	}
	s.compacted = in.Revision
	return &pb.CompactionResponse{Header: s.header()}, nil
}

func (s *store) RangeStream(context.Context, *pb.RangeRequest, ...grpc.CallOption) (pb.KV_RangeStreamClient, error) {
	panic("not called")
}

func (s *store) Txn(_ context.Context, in *pb.TxnRequest, _ ...grpc.CallOption) (*pb.TxnResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.history[s.revision]
	if err := s.check(before, in); err != nil {
		return nil, err
	}
	t := &transaction{store: s, before: before, now: maps.Clone(before)}
	resp := t.execute(in)
	if t.changed {
		s.revision++
		s.history[s.revision] = t.now
	}
	resp.Header = s.header()
	return resp, nil
}

// check finds errors before anything is executed, in the branches that will be.
func (s *store) check(before content, in *pb.TxnRequest) error {
	for _, op := range branch(before, in) {
		switch op := op.Request.(type) {
		case *pb.RequestOp_RequestRange:
			if op.RequestRange.Revision > s.revision {
				return rpctypes.ErrGRPCFutureRev
			}
			if revision := op.RequestRange.Revision; revision > 0 && revision < s.compacted {
				return rpctypes.ErrGRPCCompacted
			}
		case *pb.RequestOp_RequestTxn:
			if err := s.check(before, op.RequestTxn); err != nil {
				return err
			}
		}
	}
	return nil
}

func branch(before content, in *pb.TxnRequest) []*pb.RequestOp {
	if holds(before, in.Compare) {
		return in.Success
	}
	return in.Failure
}
