// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// watched returns a client of the proxy whose watches the timeline checks.
func watched(t *testing.T, p *proxy, timeline *Timeline) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{
		Endpoints: []string{"unix:" + p.address}, DialTimeout: 10 * time.Second, Logger: zap.NewNop(),
		DialOptions: []grpc.DialOption{grpc.WithChainStreamInterceptor(timeline.StreamInterceptor())},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func watchAll(t *testing.T, client *clientv3.Client) clientv3.WatchChan {
	return client.Watch(t.Context(), prefix+"/", clientv3.WithPrefix(), clientv3.WithRev(1))
}

// values returns the values that arrive up to one of them.
func values(t *testing.T, events clientv3.WatchChan, last string) []string {
	t.Helper()
	var found []string
	for resp := range events {
		require.NoError(t, resp.Err())
		for _, event := range resp.Events {
			found = append(found, string(event.Kv.Value))
			if found[len(found)-1] == last {
				return found
			}
		}
	}
	require.Fail(t, "the watch has ended")
	return nil
}

func TestWatch_CheckedStreamsRaiseTheRevision(t *testing.T) {
	server, raw, _ := up(t, t.TempDir())
	mark(t, raw, bound, 1)
	timeline := opened(t, raw)
	client := watched(t, newProxy(t, server), timeline)
	events := watchAll(t, client)
	put(t, raw, object, "first")
	values(t, events, "first")
	known, _ := timeline.Bound()
	require.Equal(t, observe(t, raw), known)

	// Streams of other kinds are left unchanged.
	lease, err := client.Grant(t.Context(), 60)
	require.NoError(t, err)
	_, err = client.KeepAliveOnce(t.Context(), lease.ID)
	require.NoError(t, err)
}

func TestWatch_ResumesOnTheBoundStore(t *testing.T) {
	server, raw, _ := up(t, t.TempDir())
	mark(t, raw, bound, 1)
	timeline := opened(t, raw)
	p := newProxy(t, server)
	events := watchAll(t, watched(t, p, timeline))
	for n := range 3 {
		put(t, raw, object, fmt.Sprint(n))
		found := values(t, events, fmt.Sprint(n))
		require.Equal(t, fmt.Sprint(n), found[len(found)-1])
		p.swap(t, nil)
		p.swap(t, server)
	}
	require.Nil(t, timeline.Failure())
}

func TestWatch_WaitsUntilTheStoreIsOpen(t *testing.T) {
	server, raw, _ := up(t, t.TempDir())
	mark(t, raw, bound, 1)
	put(t, raw, object, "first")
	timeline := New(prefix, nil)
	client := watched(t, newProxy(t, server), timeline)
	go func() {
		if timeline.Bind(observe(t, raw)) == nil {
			_ = timeline.Open()
		}
	}()
	values(t, watchAll(t, client), "first")
}

// bindCopied starts an etcd and another one on a copy of its folder. Only the first one has the tick that the
// returned timeline knows; the revision of the copy is higher.
func bindCopied(t *testing.T) (server, copied *etcd.Server, raw pb.KVClient, timeline *Timeline) {
	t.Helper()
	folder, other := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	server, raw, _ = up(t, folder)
	mark(t, raw, bound, 1)
	server.Stop()
	require.NoError(t, os.CopyFS(other, os.DirFS(folder)))
	server, raw, _ = up(t, folder)
	copied, copyRaw, _ := up(t, other)
	timeline = opened(t, raw)
	require.True(t, tick(t, clientv3.NewKVFromKVClient(timeline.WithMarks(raw), nil)))
	for n := range 20 {
		put(t, copyRaw, object, fmt.Sprint("foreign ", n))
	}
	require.Equal(t, observe(t, raw).ClusterID, observe(t, copyRaw).ClusterID)
	return server, copied, raw, timeline
}

// requireEnded asserts that a watch ends as one on a foreign store, without an event.
func requireEnded(t *testing.T, timeline *Timeline, events clientv3.WatchChan) {
	t.Helper()
	ended := false
	for resp := range events {
		require.Empty(t, resp.Events)
		var failure *ForeignError
		require.ErrorAs(t, resp.Err(), &failure)
		require.Equal(t, timeline.Failure(), failure)
		require.Equal(t, codes.FailedPrecondition, status.Code(resp.Err()))
		ended = true
	}
	require.True(t, ended)
}

func TestWatch_EndsOnACopy(t *testing.T) {
	server, copied, raw, timeline := bindCopied(t)
	p := newProxy(t, server)
	client := watched(t, p, timeline)
	events := watchAll(t, client)
	put(t, raw, object, "first")
	values(t, events, "first")
	p.swap(t, copied)
	requireEnded(t, timeline, events)
	requireEnded(t, timeline, watchAll(t, client))
}

func TestWatch_DoesNotBeginOnACopy(t *testing.T) {
	_, copied, _, timeline := bindCopied(t)
	requireEnded(t, timeline, watchAll(t, watched(t, newProxy(t, copied), timeline)))
	require.Contains(t, timeline.Failure().Reason, "tick 1 is below the known tick 2")
}

func TestWatch_DoesNotBeginOnAForeignStore(t *testing.T) {
	_, raw, _ := up(t, t.TempDir())
	mark(t, raw, bound, 1)
	timeline := opened(t, raw)
	foreign, foreignRaw, _ := up(t, t.TempDir())
	mark(t, foreignRaw, Mark{StoreID: "b", Epoch: 1, Nonce: "m"}, 9)
	requireEnded(t, timeline, watchAll(t, watched(t, newProxy(t, foreign), timeline)))
}
