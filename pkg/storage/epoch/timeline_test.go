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
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// fresh is an unbound Timeline over a marked store.
func fresh(t *testing.T) (timeline *Timeline, raw *store, served, early clientv3.KV) {
	t.Helper()
	raw, timeline = newStore(1, 7), New(prefix, nil)
	mark(t, raw, bound, 5)
	served = clientv3.NewKVFromKVClient(timeline.WithMarks(raw), nil)
	early = clientv3.NewKVFromKVClient(timeline.Early(raw), nil)
	return timeline, raw, served, early
}

func TestTimeline_UnboundCallsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timeline, raw, served, early := fresh(t)
		for name, call := range map[string]func(context.Context) error{
			"get": func(ctx context.Context) error { _, err := served.Get(ctx, object); return err },
			"put": func(ctx context.Context) error { _, err := early.Put(ctx, object, "1"); return err },
		} {
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			err := call(ctx)
			cancel()
			require.ErrorIs(t, err, ErrUnbound, name)
			require.Equal(t, time.Hour, time.Since(start), name)
			require.Equal(t, codes.Unavailable, status.Code(err))
			require.True(t, apierrors.IsServiceUnavailable(err))
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := early.Get(ctx, object)
		require.ErrorIs(t, err, ErrUnbound)
		require.Equal(t, time.Second, time.Since(start))

		require.NoError(t, timeline.Bind(observe(t, raw)))
		_, err = early.Put(t.Context(), object, "1")
		require.NoError(t, err)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = served.Get(ctx, object)
		require.ErrorIs(t, err, ErrUnbound)
		require.NoError(t, timeline.Open())
		_, err = served.Get(t.Context(), object)
		require.NoError(t, err)
	})
}

func TestTimeline_WaitingCallsGoOnWhenOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timeline, raw, served, _ := fresh(t)
		done := make(chan error, 1)
		go func() {
			_, err := served.Get(t.Context(), object)
			done <- err
		}()
		time.Sleep(time.Second)
		require.NoError(t, timeline.Bind(observe(t, raw)))
		synctest.Wait()
		require.Empty(t, done)
		require.NoError(t, timeline.Open())
		require.NoError(t, <-done)
	})
}

func TestTimeline_AFailureBeforeOpenReachesWaitingCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timeline, raw, served, early := fresh(t)
		require.NoError(t, timeline.Bind(observe(t, raw)))
		done := make(chan error, 1)
		go func() {
			_, err := served.Get(t.Context(), object)
			done <- err
		}()
		synctest.Wait()
		mark(t, raw, Mark{StoreID: "b", Epoch: 1}, 9)
		var failure *ForeignError
		_, err := early.Get(t.Context(), object)
		require.ErrorAs(t, err, &failure)
		require.ErrorIs(t, <-done, failure)
	})
}

func TestTimeline_Bind(t *testing.T) {
	timeline := New(prefix, nil)
	_, ok := timeline.Bound()
	require.False(t, ok)
	require.ErrorContains(t, timeline.Open(), "not bound")
	tuple := Tuple{Mark: bound, EpochModRevision: 2, Tick: 5, TickModRevision: 2, ClusterID: 7, Revision: 3}
	for want, change := range map[string]func(*Tuple){
		"no epoch": func(tuple *Tuple) { tuple.Mark = Mark{} },
		"no tick":  func(tuple *Tuple) { tuple.Tick = 0 },
	} {
		broken := tuple
		change(&broken)
		require.ErrorContains(t, timeline.Bind(broken), want)
	}
	require.NoError(t, timeline.Bind(tuple))
	require.ErrorContains(t, timeline.Bind(tuple), "already bound")
	known, ok := timeline.Bound()
	require.True(t, ok)
	require.Equal(t, tuple, known)
	require.NoError(t, timeline.Open())
	require.NoError(t, timeline.Open())
}

func TestTimeline_BoundFollowsAnswers(t *testing.T) {
	s := newSetup(t)
	grow(t, s.store, 3)
	put(t, s.store, TickKey(prefix), EncodeTick(6))
	known, _ := s.timeline.Bound()
	require.NotEqual(t, observe(t, s.store), known)
	_, err := s.kv.Get(t.Context(), object)
	require.NoError(t, err)
	known, _ = s.timeline.Bound()
	require.Equal(t, observe(t, s.store), known)
}

func TestTimeline_Unconfirmed(t *testing.T) {
	s := newSetup(t)
	require.True(t, s.timeline.Unconfirmed(), "objects were written since the tick")
	require.True(t, tick(t, s.kv))
	require.False(t, s.timeline.Unconfirmed())

	reads := []func() error{
		func() error { _, err := s.kv.Get(t.Context(), object); return err },
		func() error { _, err := s.kv.Put(t.Context(), "compact_rev_key", "1"); return err },
		func() error {
			_, err := s.kv.Txn(t.Context()).If(clientv3.Compare(clientv3.Version(object), "=", 0)).
				Then(clientv3.OpPut(object, "2")).Else(clientv3.OpGet(object)).Commit()
			return err
		},
	}
	for _, read := range reads {
		require.NoError(t, read())
		require.False(t, s.timeline.Unconfirmed())
	}
	writes := []func() error{
		func() error { _, err := s.kv.Put(t.Context(), object, "2"); return err },
		func() error { _, err := s.kv.Delete(t.Context(), prefix+"/apps/", clientv3.WithPrefix()); return err },
		func() error { _, err := s.kv.Txn(t.Context()).Then(clientv3.OpPut(object, "3")).Commit(); return err },
		func() error { _, err := s.kv.Delete(t.Context(), object); return err },
		func() error {
			_, err := s.kv.Txn(t.Context()).If(clientv3.Compare(clientv3.Version(object), "=", 9)).Else(clientv3.OpPut(object, "4")).Commit()
			return err
		},
		func() error {
			inner := clientv3.OpTxn(nil, []clientv3.Op{clientv3.OpDelete(object)}, nil)
			_, err := s.kv.Do(t.Context(), clientv3.OpTxn(nil, []clientv3.Op{inner}, nil))
			return err
		},
	}
	for n, write := range writes {
		require.NoError(t, write())
		require.True(t, s.timeline.Unconfirmed(), n)
		require.True(t, tick(t, s.kv))
		require.False(t, s.timeline.Unconfirmed(), n)
	}

	_, err := s.kv.Put(t.Context(), object, "5")
	require.NoError(t, err)
	put(t, s.store, TickKey(prefix), EncodeTick(100))
	_, err = s.kv.Get(t.Context(), object)
	require.NoError(t, err)
	require.False(t, s.timeline.Unconfirmed(), "the tick of another server counts")
}

func TestTimeline_WritesWithoutAnswerAreUnconfirmed(t *testing.T) {
	s := newSetup(t)
	require.True(t, tick(t, s.kv))
	// Another server writes and ticks, which this process does not know yet.
	grow(t, s.store, 10)
	put(t, s.store, TickKey(prefix), EncodeTick(7))
	lost := errors.New("connection lost")
	s.front.after = func(*pb.TxnResponse, error) (*pb.TxnResponse, error) { return nil, lost }
	_, err := s.kv.Put(t.Context(), object, "2")
	require.ErrorIs(t, err, lost)
	s.front.after = nil
	require.True(t, s.timeline.Unconfirmed())
	_, err = s.kv.Get(t.Context(), object)
	require.NoError(t, err)
	require.True(t, s.timeline.Unconfirmed(), "the known tick is from before the write")
	require.True(t, tick(t, s.kv))
	require.False(t, s.timeline.Unconfirmed())
}

func TestForeignError_ReportsBothStores(t *testing.T) {
	s := newSetup(t)
	foreign := newStore(2, 8)
	s.front.swap(foreign)
	_, err := s.kv.Get(t.Context(), object)
	var failure *ForeignError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, failure, s.timeline.Failure())
	require.Equal(t, []error{failure}, s.foreign)
	require.Equal(t, observe(t, s.store), failure.Bound)
	require.Equal(t, observe(t, foreign), failure.Observed)
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	require.True(t, apierrors.IsServiceUnavailable(err))
	require.EqualError(t, err, "etcd does not hold the bound store: etcd cluster 8 is not the bound cluster 7 (bound: "+
		"epoch a/2 written at 2, tick 5 written at 3, cluster 7, revision 4; observed: no epoch, tick 0 written at 0, cluster 8, revision 1)")
}
