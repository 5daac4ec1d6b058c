// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
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

type transaction struct {
	store       *store
	before, now content
	changed     bool
}

func (t *transaction) revision() int64 {
	if t.changed {
		return t.store.revision + 1
	}
	return t.store.revision
}

// execute evaluates the comparisons of nested transactions before any change, as etcd does.
func (t *transaction) execute(in *pb.TxnRequest) *pb.TxnResponse {
	resp := &pb.TxnResponse{Succeeded: holds(t.before, in.Compare), Header: &pb.ResponseHeader{}}
	for _, op := range branch(t.before, in) {
		switch op := op.Request.(type) {
		case *pb.RequestOp_RequestRange:
			out := &pb.ResponseOp_ResponseRange{ResponseRange: t.read(op.RequestRange)}
			resp.Responses = append(resp.Responses, &pb.ResponseOp{Response: out})
		case *pb.RequestOp_RequestPut:
			out := &pb.ResponseOp_ResponsePut{ResponsePut: t.put(op.RequestPut)}
			resp.Responses = append(resp.Responses, &pb.ResponseOp{Response: out})
		case *pb.RequestOp_RequestDeleteRange:
			out := &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: t.delete(op.RequestDeleteRange)}
			resp.Responses = append(resp.Responses, &pb.ResponseOp{Response: out})
		case *pb.RequestOp_RequestTxn:
			out := &pb.ResponseOp_ResponseTxn{ResponseTxn: t.execute(op.RequestTxn)}
			resp.Responses = append(resp.Responses, &pb.ResponseOp{Response: out})
		}
	}
	return resp
}

func (t *transaction) read(in *pb.RangeRequest) *pb.RangeResponse {
	from := t.now
	if in.Revision > 0 && in.Revision <= t.store.revision {
		from = t.store.history[in.Revision]
	}
	kvs := find(from, in.Key, in.RangeEnd)
	resp := &pb.RangeResponse{Header: &pb.ResponseHeader{Revision: t.revision()}, Count: int64(len(kvs))}
	if in.CountOnly {
		return resp
	}
	if in.SortOrder == pb.RangeRequest_DESCEND {
		slices.Reverse(kvs)
	}
	if in.Limit > 0 && int64(len(kvs)) > in.Limit {
		kvs, resp.More = kvs[:in.Limit], true
	}
	for _, kv := range kvs {
		if in.KeysOnly {
			kv = proto.Clone(kv).(*mvccpb.KeyValue)
			kv.Value = nil
		}
		resp.Kvs = append(resp.Kvs, kv)
	}
	return resp
}

func (t *transaction) put(in *pb.PutRequest) *pb.PutResponse {
	t.changed = true
	key, previous := string(in.Key), t.now[string(in.Key)]
	kv := &mvccpb.KeyValue{Key: in.Key, Value: in.Value, CreateRevision: t.revision(), ModRevision: t.revision(), Version: 1}
	if previous != nil {
		kv.CreateRevision, kv.Version = previous.CreateRevision, previous.Version+1
	}
	t.now[key] = kv
	resp := &pb.PutResponse{Header: &pb.ResponseHeader{Revision: t.revision()}}
	if in.PrevKv {
		resp.PrevKv = previous
	}
	return resp
}

func (t *transaction) delete(in *pb.DeleteRangeRequest) *pb.DeleteRangeResponse {
	resp := &pb.DeleteRangeResponse{Header: &pb.ResponseHeader{}}
	for _, kv := range find(t.now, in.Key, in.RangeEnd) {
		t.changed = true
		delete(t.now, string(kv.Key))
		resp.Deleted++
		if in.PrevKv {
			resp.PrevKvs = append(resp.PrevKvs, kv)
		}
	}
	resp.Header.Revision = t.revision()
	return resp
}

func find(from content, key, end []byte) []*mvccpb.KeyValue {
	var found []*mvccpb.KeyValue
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if within([]byte(name), key, end) {
			found = append(found, from[name])
		}
	}
	return found
}

func holds(from content, compares []*pb.Compare) bool {
	return !slices.ContainsFunc(compares, func(c *pb.Compare) bool {
		kvs := find(from, c.Key, c.RangeEnd)
		if len(kvs) == 0 {
			return c.Target == pb.Compare_VALUE || !compare(c, &mvccpb.KeyValue{})
		}
		return slices.ContainsFunc(kvs, func(kv *mvccpb.KeyValue) bool { return !compare(c, kv) })
	})
}

func compare(c *pb.Compare, kv *mvccpb.KeyValue) bool {
	var result int64
	switch c.Target {
	case pb.Compare_VALUE:
		result = int64(bytes.Compare(kv.Value, c.GetValue()))
	case pb.Compare_CREATE:
		result = kv.CreateRevision - c.GetCreateRevision()
	case pb.Compare_MOD:
		result = kv.ModRevision - c.GetModRevision()
	case pb.Compare_VERSION:
		result = kv.Version - c.GetVersion()
	case pb.Compare_LEASE:
		result = kv.Lease - c.GetLease()
	}
	switch c.Result {
	case pb.Compare_EQUAL:
		return result == 0
	case pb.Compare_NOT_EQUAL:
		return result != 0
	case pb.Compare_GREATER:
		return result > 0
	default:
		return result < 0
	}
}

func putOp(request *pb.PutRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: request}}
}

func deleteOp(request *pb.DeleteRangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: request}}
}

func txnOp(request *pb.TxnRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestTxn{RequestTxn: request}}
}
