// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"bytes"
	"maps"
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/protobuf/proto"
)

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
