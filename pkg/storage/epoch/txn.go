// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"bytes"
	"context"
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var (
	errEpochWrite = status.Error(codes.InvalidArgument, "the epoch of a bound store cannot be written")
	errTickWrite  = status.Error(codes.InvalidArgument, "the tick can be written only by a put in the Then branch of a transaction")
)

// Txn executes the caller's transaction under the additional condition that the store has the bound marks. The
// caller never gets Succeeded: false because of that condition, which would mean a conflict to it.
func (k *kv) Txn(ctx context.Context, in *pb.TxnRequest, opts ...grpc.CallOption) (*pb.TxnResponse, error) {
	then, err := k.timeline.marks.effects(in.GetSuccess(), true)
	if err != nil {
		return nil, err
	}
	otherwise, err := k.timeline.marks.effects(in.GetFailure(), false)
	if err != nil {
		return nil, err
	}
	before, err := k.timeline.admit(ctx, k.gate)
	if err != nil {
		return nil, err
	}
	request, nested := k.timeline.guarded(before.Tuple, in, otherwise.writes)
	resp, err := k.raw.Txn(ctx, request, opts...)
	if err != nil {
		if then.objects || otherwise.objects {
			k.timeline.doubt()
		}
		return nil, err
	}
	branch := request.Success
	if !resp.Succeeded {
		branch = request.Failure
	}
	found, err := lastRange(resp, len(branch))
	if err != nil {
		return nil, err
	}
	// The check includes the added comparisons. If it passes, a failed comparison is one of the
	// caller.
	if err := k.timeline.confirm(before, resp.Header, found, changed(resp)); err != nil {
		return nil, err
	}
	if resp, err = stripped(resp, nested); err != nil {
		return nil, err
	}
	if resp.Succeeded && then.objects || !resp.Succeeded && otherwise.objects {
		k.timeline.wrote(resp.Header.GetRevision())
	}
	return resp, nil
}

// single executes one operation and returns its response.
func (k *kv) single(ctx context.Context, op *pb.RequestOp, opts []grpc.CallOption) (*pb.ResponseOp, *pb.ResponseHeader, error) {
	if put := op.GetRequestPut(); put != nil && bytes.Equal(put.Key, k.timeline.marks.tickKey) {
		return nil, nil, errTickWrite
	}
	resp, err := k.Txn(ctx, &pb.TxnRequest{Success: []*pb.RequestOp{op}}, opts...)
	if err != nil {
		return nil, nil, err
	}
	if !resp.Succeeded || len(resp.Responses) != 1 {
		return nil, nil, errIncomplete
	}
	return resp.Responses[0], resp.Header, nil
}

// guarded adds the marks to a transaction: comparisons that hold on the bound timeline only, and last in both
// branches the read that is checked. A transaction that writes in its Else branch is nested instead, because that
// branch would be executed on a foreign store.
func (t *Timeline) guarded(before Tuple, in *pb.TxnRequest, nested bool) (*pb.TxnRequest, bool) {
	ours := [...]*pb.Compare{t.epochCompares[0], t.epochCompares[1], {
		Key: t.marks.tickKey, Target: pb.Compare_MOD, Result: pb.Compare_GREATER,
		TargetUnion: &pb.Compare_ModRevision{ModRevision: before.TickModRevision - 1},
	}}
	if nested {
		return &pb.TxnRequest{
			Compare: ours[:],
			Success: []*pb.RequestOp{{Request: &pb.RequestOp_RequestTxn{RequestTxn: in}}, t.marks.read},
			Failure: []*pb.RequestOp{t.marks.read},
		}, true
	}
	// The caller's request stays unchanged: the caller may send it again.
	return &pb.TxnRequest{
		Compare: append(append(make([]*pb.Compare, 0, len(in.GetCompare())+len(ours)), in.GetCompare()...), ours[:]...),
		Success: t.marks.appended(in.GetSuccess()),
		Failure: t.marks.appended(in.GetFailure()),
	}, false
}

func (m *marks) appended(ops []*pb.RequestOp) []*pb.RequestOp {
	return append(append(make([]*pb.RequestOp, 0, len(ops)+1), ops...), m.read)
}

// stripped returns the caller's part of a response.
func stripped(resp *pb.TxnResponse, nested bool) (*pb.TxnResponse, error) {
	if !nested {
		resp.Responses = resp.Responses[:len(resp.Responses)-1]
		return resp, nil
	}
	inner := resp.Responses[0].GetResponseTxn()
	if inner == nil {
		return nil, errIncomplete
	}
	inner.Header = resp.Header
	return inner, nil
}

// changed reports whether a transaction changed the store, which then has a new revision.
func changed(resp *pb.TxnResponse) bool {
	return slices.ContainsFunc(resp.GetResponses(), func(op *pb.ResponseOp) bool {
		switch op := op.GetResponse().(type) {
		case *pb.ResponseOp_ResponsePut:
			return true
		case *pb.ResponseOp_ResponseDeleteRange:
			return op.ResponseDeleteRange.GetDeleted() > 0
		case *pb.ResponseOp_ResponseTxn:
			return changed(op.ResponseTxn)
		}
		return false
	})
}

// effects is what the operations of a branch may change.
type effects struct {
	// writes reports whether anything is changed, objects whether anything but marks below the prefix of the objects
	// is.
	writes, objects bool
}

// effects returns what operations may change. To change the marks is an error, except for a put of the tick where
// allowed: with it the tick rises, and other servers rely on the rest of what the marks say.
func (m *marks) effects(ops []*pb.RequestOp, tick bool) (effects, error) {
	var all effects
	for _, op := range ops {
		var one effects
		var err error
		switch op := op.GetRequest().(type) {
		case *pb.RequestOp_RequestPut:
			one, err = m.put(op.RequestPut, tick)
		case *pb.RequestOp_RequestDeleteRange:
			one, err = m.delete(op.RequestDeleteRange)
		case *pb.RequestOp_RequestTxn:
			var then, otherwise effects
			if then, err = m.effects(op.RequestTxn.GetSuccess(), false); err == nil {
				otherwise, err = m.effects(op.RequestTxn.GetFailure(), false)
			}
			one = effects{then.writes || otherwise.writes, then.objects || otherwise.objects}
		}
		if err != nil {
			return effects{}, err
		}
		all = effects{all.writes || one.writes, all.objects || one.objects}
	}
	return all, nil
}

func (m *marks) put(put *pb.PutRequest, tick bool) (effects, error) {
	switch key := put.GetKey(); {
	case bytes.Equal(key, m.epochKey):
		return effects{}, errEpochWrite
	case bytes.Equal(key, m.tickKey):
		if !tick {
			return effects{}, errTickWrite
		}
		if _, err := ParseTick(put.GetValue()); err != nil {
			return effects{}, status.Error(codes.InvalidArgument, err.Error())
		}
		return effects{writes: true}, nil
	default:
		return effects{writes: true, objects: bytes.HasPrefix(key, m.objects) && !bytes.HasPrefix(key, m.folder)}, nil
	}
}

func (m *marks) delete(request *pb.DeleteRangeRequest) (effects, error) {
	key, end := request.GetKey(), request.GetRangeEnd()
	if within(m.epochKey, key, end) {
		return effects{}, errEpochWrite
	}
	if within(m.tickKey, key, end) {
		return effects{}, errTickWrite
	}
	single := bytes.HasPrefix(key, m.objects) && !bytes.HasPrefix(key, m.folder)
	return effects{writes: true, objects: single || len(end) > 0}, nil
}
