// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// hanging is a client whose calls wait for a connection.
type hanging struct {
	pb.KVClient
}

func (hanging) Txn(ctx context.Context, _ *pb.TxnRequest, _ ...grpc.CallOption) (*pb.TxnResponse, error) {
	<-ctx.Done()
	return nil, status.FromContextError(ctx.Err()).Err()
}

func TestKV_EndsCallsWhileEtcdIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timeline := New("/p", func(err error) { t.Error(err) })
		require.NoError(t, timeline.Bind(Tuple{Mark: Mark{StoreID: "s", Epoch: 1}, EpochModRevision: 1, Tick: 1, TickModRevision: 1}))
		require.NoError(t, timeline.Open())
		kv := timeline.WithMarks(hanging{})
		begin := time.Now()
		time.AfterFunc(time.Second, func() { timeline.SetReachable(false) })
		_, err := kv.Range(t.Context(), &pb.RangeRequest{Key: []byte("/p/a")})
		require.Equal(t, codes.Unavailable, status.Code(err), "%v", err)
		require.Equal(t, time.Second, time.Since(begin))
		_, err = kv.Put(t.Context(), &pb.PutRequest{Key: []byte("/p/a")})
		require.Equal(t, codes.Unavailable, status.Code(err), "%v", err)
		require.Equal(t, time.Second, time.Since(begin), "new calls end at once")

		timeline.SetReachable(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = kv.DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte("/p/a")})
		require.Equal(t, codes.DeadlineExceeded, status.Code(err), "%v", err)
		require.Nil(t, timeline.Failure())
	})
}
