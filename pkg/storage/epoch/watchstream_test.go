// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// messages is a stream of prepared messages.
type messages struct {
	grpc.ClientStream
	ctx    context.Context
	queued []*pb.WatchResponse
}

func (m *messages) Context() context.Context { return m.ctx }

func (m *messages) RecvMsg(message any) error {
	if len(m.queued) == 0 {
		return io.EOF
	}
	next := m.queued[0]
	m.queued = m.queued[1:]
	target := message.(*pb.WatchResponse)
	target.Reset()
	target.Header = next.Header
	return nil
}

func streamOf(t *testing.T, s *setup, headers ...*pb.ResponseHeader) *watch {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stream := &messages{ctx: ctx}
	for _, header := range headers {
		stream.queued = append(stream.queued, &pb.WatchResponse{Header: header})
	}
	check := &kv{timeline: s.timeline, raw: s.front, gate: s.timeline.opened}
	return &watch{ClientStream: stream, timeline: s.timeline, check: check, cancel: cancel}
}

func TestWatch_OneCheckBeforeTheFirstMessage(t *testing.T) {
	s := newSetup(t)
	lagging, without := &pb.ResponseHeader{ClusterId: 7, Revision: 3}, &pb.ResponseHeader{ClusterId: 7}
	w := streamOf(t, s, &pb.ResponseHeader{ClusterId: 7, Revision: 20}, lagging, without)
	s.front.before = func(int) error {
		known, _ := s.timeline.Bound()
		require.EqualValues(t, 4, known.Revision, "nothing is learned from a stream that has not been checked")
		return nil
	}
	for range 3 {
		require.NoError(t, w.RecvMsg(&pb.WatchResponse{}))
		known, _ := s.timeline.Bound()
		require.EqualValues(t, 20, known.Revision)
	}
	require.Equal(t, 1, s.front.calls)
	require.NoError(t, w.Context().Err())
	require.ErrorIs(t, w.RecvMsg(&pb.WatchResponse{}), io.EOF)
	require.Error(t, w.Context().Err(), "the stream has to end")
}

func TestWatch_MessageOfAnotherCluster(t *testing.T) {
	s := newSetup(t)
	w := streamOf(t, s, &pb.ResponseHeader{ClusterId: 7, Revision: 5}, &pb.ResponseHeader{ClusterId: 8, Revision: 6})
	require.NoError(t, w.RecvMsg(&pb.WatchResponse{}))
	var failure *ForeignError
	require.ErrorAs(t, w.RecvMsg(&pb.WatchResponse{}), &failure)
	require.EqualValues(t, 8, failure.Observed.ClusterID)
	require.Len(t, s.foreign, 1)
	require.Error(t, w.Context().Err())
}

func TestWatch_EndsAfterAFailureElsewhere(t *testing.T) {
	s := newSetup(t)
	header := &pb.ResponseHeader{ClusterId: 7, Revision: 5}
	w := streamOf(t, s, header, header)
	require.NoError(t, w.RecvMsg(&pb.WatchResponse{}))
	s.front.swap(newStore(2, 8))
	_, err := s.kv.Get(t.Context(), object)
	require.Error(t, err)
	require.Equal(t, err, w.RecvMsg(&pb.WatchResponse{}))
}

func TestWatch_UnavailableCheckIsRepeatedByTheClient(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		take time.Duration
	}{
		"etcd is unavailable":    {status.Error(codes.Unavailable, "away"), 2500 * time.Millisecond},
		"etcd does not answer":   {nil, watchCheckTimeout},
		"etcd answers otherwise": {errors.New("broken"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetup(t)
				w := streamOf(t, s, &pb.ResponseHeader{ClusterId: 7, Revision: 5})
				s.front.stall = test.err == nil
				s.front.before = func(int) error { return test.err }
				start := time.Now()
				require.Equal(t, codes.Unavailable, status.Code(w.RecvMsg(&pb.WatchResponse{})))
				require.Equal(t, test.take, time.Since(start))
				require.Error(t, w.Context().Err())
				require.Nil(t, s.timeline.Failure())
			})
		})
	}
}
