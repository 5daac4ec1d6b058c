// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"strconv"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"pgregory.net/rapid"
)

// keys are few, so that requests meet.
var keys = []string{prefix + "/apps/a", prefix + "/apps/b", prefix + "/apps/c", prefix + "/core/d", "compact_rev_key"}

func drawKey(t *rapid.T) []byte { return []byte(rapid.SampledFrom(keys).Draw(t, "key")) }

func drawRange(t *rapid.T, revision int64) *pb.RangeRequest {
	request := &pb.RangeRequest{
		Key: drawKey(t), KeysOnly: rapid.Bool().Draw(t, "keysOnly"), CountOnly: rapid.Bool().Draw(t, "countOnly"),
		Limit: rapid.Int64Range(0, 2).Draw(t, "limit"),
	}
	if rapid.Bool().Draw(t, "prefix") {
		request.Key, request.RangeEnd = []byte(prefix+"/apps/"), []byte(prefix+"/apps0")
	}
	if rapid.Bool().Draw(t, "descend") {
		request.SortOrder = pb.RangeRequest_DESCEND
	}
	if rapid.Bool().Draw(t, "atRevision") {
		request.Revision = rapid.Int64Range(1, revision+1).Draw(t, "revision")
	}
	return request
}

func drawPut(t *rapid.T) *pb.PutRequest {
	value := strconv.Itoa(rapid.IntRange(0, 3).Draw(t, "value"))
	return &pb.PutRequest{Key: drawKey(t), Value: []byte(value), PrevKv: rapid.Bool().Draw(t, "prevKv")}
}

func drawDelete(t *rapid.T) *pb.DeleteRangeRequest {
	request := &pb.DeleteRangeRequest{Key: drawKey(t), PrevKv: rapid.Bool().Draw(t, "prevKv")}
	if rapid.IntRange(0, 3).Draw(t, "prefix") == 0 {
		request.Key, request.RangeEnd = []byte(prefix+"/apps/"), []byte(prefix+"/apps0")
	}
	return request
}

func drawCompare(t *rapid.T, revision int64) *pb.Compare {
	number := rapid.Int64Range(0, revision).Draw(t, "number")
	c := &pb.Compare{
		Key:    drawKey(t),
		Result: pb.Compare_CompareResult(rapid.IntRange(0, 3).Draw(t, "result")),
		Target: pb.Compare_CompareTarget(rapid.IntRange(0, 4).Draw(t, "target")),
	}
	switch c.Target {
	case pb.Compare_VERSION:
		c.TargetUnion = &pb.Compare_Version{Version: number % 3}
	case pb.Compare_CREATE:
		c.TargetUnion = &pb.Compare_CreateRevision{CreateRevision: number}
	case pb.Compare_MOD:
		c.TargetUnion = &pb.Compare_ModRevision{ModRevision: number}
	case pb.Compare_VALUE:
		c.TargetUnion = &pb.Compare_Value{Value: []byte(strconv.FormatInt(number%4, 10))}
	case pb.Compare_LEASE:
		c.TargetUnion = &pb.Compare_Lease{Lease: number % 2}
	}
	return c
}

// drawTxn returns a transaction with transactions nested up to a depth. A transaction that changes a key twice is
// invalid; the caller decides whether it gets one.
func drawTxn(t *rapid.T, revision int64, depth int) *pb.TxnRequest {
	request := &pb.TxnRequest{}
	for range rapid.IntRange(0, 2).Draw(t, "compares") {
		request.Compare = append(request.Compare, drawCompare(t, revision))
	}
	for _, branch := range []*[]*pb.RequestOp{&request.Success, &request.Failure} {
		for range rapid.IntRange(0, 2).Draw(t, "operations") {
			*branch = append(*branch, drawOp(t, revision, depth-1))
		}
	}
	return request
}

func drawOp(t *rapid.T, revision int64, depth int) *pb.RequestOp {
	kinds := []string{"range", "put", "delete"}
	if depth > 0 {
		kinds = append(kinds, "txn")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "range":
		return rangeOp(drawRange(t, revision))
	case "put":
		return putOp(drawPut(t))
	case "delete":
		return deleteOp(drawDelete(t))
	default:
		return txnOp(drawTxn(t, revision, depth))
	}
}

// changesTwice reports whether a key could be changed twice, which etcd refuses.
func changesTwice(ops ...*pb.RequestOp) bool {
	seen := map[string]bool{}
	var visit func(ops []*pb.RequestOp) bool
	visit = func(ops []*pb.RequestOp) bool {
		for _, op := range ops {
			var changed []string
			switch op := op.Request.(type) {
			case *pb.RequestOp_RequestPut:
				changed = []string{string(op.RequestPut.Key)}
			case *pb.RequestOp_RequestDeleteRange:
				for _, key := range keys {
					if within([]byte(key), op.RequestDeleteRange.Key, op.RequestDeleteRange.RangeEnd) {
						changed = append(changed, key)
					}
				}
			case *pb.RequestOp_RequestTxn:
				if visit(op.RequestTxn.Success) || visit(op.RequestTxn.Failure) {
					return true
				}
			}
			for _, key := range changed {
				if seen[key] {
					return true
				}
				seen[key] = true
			}
		}
		return false
	}
	return visit(ops)
}
