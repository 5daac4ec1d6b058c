// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// watchCheckTimeout is how long the read may take that a new stream waits for.
const watchCheckTimeout = 5 * time.Second

// StreamInterceptor returns an interceptor that checks the streams of watches and leaves other streams unchanged. A
// client of etcd gets it by grpc.WithChainStreamInterceptor: WithStreamInterceptor would replace the interceptor of
// the client itself.
func (t *Timeline) StreamInterceptor() grpc.StreamClientInterceptor {
	return func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer,
		opts ...grpc.CallOption) (grpc.ClientStream, error) {
		if method != pb.Watch_Watch_FullMethodName {
			return open(ctx, desc, conn, method, opts...)
		}
		if _, err := t.admit(ctx, t.opened); err != nil {
			return nil, err
		}
		// The client abandons a stream whose RecvMsg fails, so the stream has to end by itself
		// then.
		ctx, cancel := context.WithCancel(ctx)
		stream, err := open(ctx, desc, conn, method, opts...)
		if err != nil {
			cancel()
			return nil, err
		}
		return &watch{ClientStream: stream, timeline: t, check: &kv{timeline: t, raw: pb.NewKVClient(conn), gate: t.opened}, cancel: cancel}, nil
	}
}

// watch is a stream that ends as soon as it shows another timeline.
type watch struct {
	grpc.ClientStream
	timeline *Timeline
	// check reads through the connection of the stream. It is nil after the stream has been checked.
	check  *kv
	cancel context.CancelFunc
}

// RecvMsg receives the next message. The first one is held back until a read that began after it has proved the
// timeline: a read before the stream is open would leave a gap in which etcd can be replaced.
func (w *watch) RecvMsg(message any) error {
	err := w.receive(message)
	if err != nil {
		w.cancel()
	}
	return err
}

func (w *watch) receive(message any) error {
	if err := w.ClientStream.RecvMsg(message); err != nil {
		return err
	}
	if w.check != nil {
		if err := w.verify(); err != nil {
			return err
		}
		w.check = nil
	}
	resp, ok := message.(*pb.WatchResponse)
	if !ok {
		return status.Errorf(codes.Internal, "etcd sent a message of type %T to a watch", message)
	}
	return w.timeline.message(resp.GetHeader())
}

// verify returns a *ForeignError if etcd holds another timeline, and an error with code Unavailable, with which the
// client opens the stream again, if that cannot be determined.
func (w *watch) verify() error {
	ctx, cancel := context.WithTimeout(w.Context(), watchCheckTimeout)
	defer cancel()
	err := w.check.verify(ctx, nil)
	if err == nil {
		return nil
	}
	if failure := w.timeline.Failure(); failure != nil {
		return failure
	}
	return status.Error(codes.Unavailable, fmt.Sprintf("check the store of a watch: %v", err))
}

// message checks a message of a stream that has been checked. The member that sends it may lag, so its revision may
// be below what is known, but a higher one is known from then on.
func (t *Timeline) message(header *pb.ResponseHeader) error {
	t.mu.Lock()
	known := t.known
	t.mu.Unlock()
	answer := Tuple{ClusterID: header.GetClusterId(), Revision: header.GetRevision()}
	if answer.ClusterID != known.ClusterID {
		return t.fail(known, answer, fmt.Sprintf("etcd cluster %x is not the bound cluster %x", answer.ClusterID, known.ClusterID))
	}
	return t.learn(view{}, answer)
}
