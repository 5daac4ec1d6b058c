// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestKV_UnavailableReadsAreRepeated(t *testing.T) {
	away := status.Error(codes.Unavailable, "away")
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t)
		s.front.before = func(n int) error {
			if n <= 100 {
				return away
			}
			return nil
		}
		start := time.Now()
		_, err := s.kv.Get(t.Context(), object)
		require.NoError(t, err)
		require.Equal(t, 101, s.front.calls)
		require.Equal(t, 2500*time.Millisecond, time.Since(start))

		s.front.before = func(int) error { return away }
		_, err = s.kv.Get(t.Context(), object)
		require.Equal(t, away, err)
		require.Equal(t, 202, s.front.calls)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = s.kv.Get(ctx, object)
		require.ErrorIs(t, err, context.DeadlineExceeded)

		calls := s.front.calls
		_, err = s.kv.Put(t.Context(), object, "x")
		require.Equal(t, away, err)
		require.Equal(t, calls+1, s.front.calls, "a write may have been executed")
		require.Nil(t, s.timeline.Failure())
	})
}

func TestKV_RepeatedReadsEndWithAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetup(t)
		s.front.before = func(int) error { return status.Error(codes.Unavailable, "away") }
		done := make(chan error, 1)
		go func() {
			_, err := s.kv.Get(t.Context(), object)
			done <- err
		}()
		synctest.Wait()
		other := clientv3.NewKVFromKVClient(s.timeline.WithMarks(newStore(2, 8)), nil)
		_, err := other.Get(t.Context(), object)
		require.Error(t, err)
		require.Equal(t, err, <-done)
	})
}

func TestKV_ErrorsPassUnchanged(t *testing.T) {
	s := newSetup(t)
	for _, want := range []error{errors.New("broken"), status.Error(codes.PermissionDenied, "no"), rpctypes.ErrGRPCNoSpace} {
		s.front.before = func(int) error { return want }
		kv := s.timeline.WithMarks(s.front)
		_, err := kv.Range(t.Context(), &pb.RangeRequest{Key: []byte(object)})
		require.Equal(t, want, err)
		_, err = kv.Put(t.Context(), &pb.PutRequest{Key: []byte(object)})
		require.Equal(t, want, err)
		_, err = kv.DeleteRange(t.Context(), &pb.DeleteRangeRequest{Key: []byte(object)})
		require.Equal(t, want, err)
		_, err = kv.Txn(t.Context(), &pb.TxnRequest{})
		require.Equal(t, want, err)
		_, err = kv.Compact(t.Context(), &pb.CompactionRequest{})
		require.Equal(t, want, err)
	}
	s.front.before = nil
	_, err := s.kv.Get(t.Context(), object, clientv3.WithRev(1000))
	require.ErrorIs(t, err, rpctypes.ErrFutureRev)
	require.Nil(t, s.timeline.Failure())
}

func TestKV_IncompleteAnswersAreErrors(t *testing.T) {
	for name, change := range map[string]func(*pb.TxnResponse){
		"no responses":    func(resp *pb.TxnResponse) { resp.Responses = nil },
		"without marks":   func(resp *pb.TxnResponse) { resp.Responses = resp.Responses[:1] },
		"of another kind": func(resp *pb.TxnResponse) { resp.Responses[len(resp.Responses)-1] = &pb.ResponseOp{} },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSetup(t)
			s.front.after = func(resp *pb.TxnResponse, err error) (*pb.TxnResponse, error) {
				change(resp)
				return resp, err
			}
			for kind, operation := range operations {
				if kind != "compact" || name != "without marks" {
					require.Equal(t, codes.Internal, status.Code(operation(t.Context(), s.kv)), kind)
				}
			}
		})
	}
}

func TestKV_UnsupportedCalls(t *testing.T) {
	s := newSetup(t)
	_, err := s.kv.Get(t.Context(), object, clientv3.WithSerializable())
	require.Equal(t, codes.InvalidArgument, status.Code(err))
	require.ErrorContains(t, err, "serializable reads are not supported")
	_, err = s.kv.GetStream(t.Context(), object)
	require.Equal(t, codes.Unimplemented, status.Code(err))
	require.Zero(t, s.front.calls)
}

func TestKV_MarksAreProtected(t *testing.T) {
	epochKey, tickKey := Key(prefix), TickKey(prefix)
	nested := func(op clientv3.Op) clientv3.Op { return clientv3.OpTxn(nil, nil, []clientv3.Op{op}) }
	for name, op := range map[string]clientv3.Op{
		"put epoch":             clientv3.OpPut(epochKey, bound.Encode()),
		"put tick":              clientv3.OpPut(tickKey, "6"),
		"delete epoch":          clientv3.OpDelete(epochKey),
		"delete tick":           clientv3.OpDelete(tickKey),
		"delete objects":        clientv3.OpDelete(prefix+"/", clientv3.WithPrefix()),
		"delete all":            clientv3.OpDelete("", clientv3.WithFromKey()),
		"delete from the tick":  clientv3.OpDelete(tickKey, clientv3.WithFromKey()),
		"txn: put epoch":        clientv3.OpTxn(nil, []clientv3.Op{clientv3.OpPut(epochKey, bound.Encode())}, nil),
		"txn: delete tick":      clientv3.OpTxn(nil, []clientv3.Op{clientv3.OpDelete(tickKey)}, nil),
		"txn: tick in else":     clientv3.OpTxn(nil, nil, []clientv3.Op{clientv3.OpPut(tickKey, "6")}),
		"txn: invalid tick":     clientv3.OpTxn(nil, []clientv3.Op{clientv3.OpPut(tickKey, "?")}, nil),
		"nested txn: put epoch": clientv3.OpTxn(nil, []clientv3.Op{nested(clientv3.OpPut(epochKey, "?"))}, nil),
		"nested txn: put tick":  clientv3.OpTxn(nil, nil, []clientv3.Op{nested(clientv3.OpPut(tickKey, "6"))}),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSetup(t)
			_, err := s.kv.Do(t.Context(), op)
			require.Equal(t, codes.InvalidArgument, status.Code(err), err)
			require.Zero(t, s.front.calls)
		})
	}
}

func TestKV_RequestsStayUnchanged(t *testing.T) {
	s := newSetup(t)
	request := &pb.TxnRequest{
		Compare: append(make([]*pb.Compare, 0, 8), &pb.Compare{
			Key: []byte(object), Target: pb.Compare_VERSION, TargetUnion: &pb.Compare_Version{Version: 1},
		}),
		Success: append(make([]*pb.RequestOp, 0, 8), rangeOp(&pb.RangeRequest{Key: []byte(object)})),
	}
	kv := s.timeline.WithMarks(s.front)
	for range 2 {
		resp, err := kv.Txn(t.Context(), request)
		require.NoError(t, err)
		require.True(t, resp.Succeeded)
		require.Len(t, resp.Responses, 1)
		require.Len(t, request.Compare, 1)
		require.Len(t, request.Success, 1)
		require.Nil(t, request.Success[:2][1])
		require.Nil(t, request.Compare[:2][1])
	}
}
