// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	core "k8s.io/client-go/testing"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregatorfake "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/fake"
	testclock "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/apiserver/filters/gate"
	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/storage/etcd"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

const (
	namespace = "roadstead-system"
	service   = "v1alpha1.takaro.roadstead.dev"
)

// world is a cluster and an etcd, which can be exchanged.
type world struct {
	t          *testing.T
	etcd       *clientv3.Client
	link       *link
	host       *fake.Clientset
	aggregator *aggregatorfake.Clientset
	clock      *testclock.FakeClock
	prefix     string
	// If hostDown is true, every call to the cluster fails. While limited, writes is the number of writes that are still allowed.
	hostDown, limited atomic.Bool
	writes            atomic.Int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, clock: testclock.NewFakeClock(time.Now()),
		host:       fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system", UID: "cluster"}}),
		aggregator: aggregatorfake.NewClientset(&apiregistration.APIService{ObjectMeta: metav1.ObjectMeta{Name: service}}),
	}
	w.etcd, w.prefix = etcds[0], fmt.Sprintf("/registry/%d", prefixes.Add(1))
	w.link = &link{world: w}
	w.link.lead(w.etcd)
	w.host.PrependReactor("*", "*", w.react)
	w.aggregator.PrependReactor("*", "*", w.react)
	return w
}

var errAway = errors.New("the cluster is unavailable")

func (w *world) react(action core.Action) (bool, runtime.Object, error) {
	switch action.GetVerb() {
	case "get", "list", "watch":
		return w.hostDown.Load(), nil, errAway
	}
	return w.hostDown.Load() || !w.mayWrite(), nil, errAway
}

// mayWrite counts the writes that are still allowed.
func (w *world) mayWrite() bool {
	return !w.limited.Load() || w.writes.Add(-1) >= 0
}

// limit allows a number of writes, and cut lifts the limit and reports whether more were tried.
func (w *world) limit(writes int64) {
	w.writes.Store(writes)
	w.limited.Store(true)
}

func (w *world) cut() bool {
	w.limited.Store(false)
	return w.writes.Load() < 0
}

// etcds are shared by the tests, each of which has a prefix of its own: the first one, and another cluster.
var (
	etcds    [2]*clientv3.Client
	prefixes atomic.Int64
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	for n := range etcds {
		client, stop, err := startEtcd()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer stop()
		etcds[n] = client
	}
	return m.Run()
}

// startEtcd returns a client of a new etcd.
func startEtcd() (client *clientv3.Client, stop func(), err error) {
	dir, err := os.MkdirTemp("", "identity-")
	if err != nil {
		return nil, nil, err
	}
	server, err := etcd.Start(context.Background(), dir, "error")
	if err != nil {
		return nil, nil, err
	}
	client, err = clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint()}, DialTimeout: 10 * time.Second})
	return client, func() {
		_ = client.Close()
		server.Stop()
		_ = os.RemoveAll(dir)
	}, err
}

// link leads to an etcd that can be exchanged or taken away. Only what the guard calls is implemented.
type link struct {
	pb.KVClient
	world *world
	to    atomic.Pointer[clientv3.Client]
	down  atomic.Bool
}

func (l *link) lead(to *clientv3.Client) { l.to.Store(to) }

func (l *link) kv(write bool) (pb.KVClient, error) {
	if l.down.Load() || write && !l.world.mayWrite() {
		return nil, status.Error(codes.Internal, "etcd is unavailable")
	}
	return pb.NewKVClient(l.to.Load().ActiveConnection()), nil
}

func (l *link) Range(ctx context.Context, in *pb.RangeRequest, opts ...grpc.CallOption) (*pb.RangeResponse, error) {
	kv, err := l.kv(false)
	if err != nil {
		return nil, err
	}
	return kv.Range(ctx, in, opts...)
}

func (l *link) Txn(ctx context.Context, in *pb.TxnRequest, opts ...grpc.CallOption) (*pb.TxnResponse, error) {
	write := false
	for _, op := range in.Success {
		write = write || op.GetRequestRange() == nil
	}
	kv, err := l.kv(write)
	if err != nil {
		return nil, err
	}
	return kv.Txn(ctx, in, opts...)
}

func (l *link) Compact(ctx context.Context, in *pb.CompactionRequest, opts ...grpc.CallOption) (*pb.CompactionResponse, error) {
	kv, err := l.kv(true)
	if err != nil {
		return nil, err
	}
	return kv.Compact(ctx, in, opts...)
}

// process is a server.
type process struct {
	*Guard
	kv     clientv3.KV
	exited atomic.Bool
}

func (w *world) process(change ...func(*Config)) *process {
	w.t.Helper()
	p := &process{}
	timeline := epoch.New(w.prefix, func(err error) { p.Leave(err) })
	config := Config{
		Raw: clientv3.NewKVFromKVClient(w.link, w.etcd), Checked: clientv3.NewKVFromKVClient(timeline.Early(w.link), w.etcd),
		Timeline: timeline, Prefix: w.prefix, Client: w.host, Aggregator: w.aggregator, Namespace: namespace, APIServices: []string{service},
		Gate: gate.New(), Clock: w.clock, Exit: func() { p.exited.Store(true) },
	}
	for _, one := range change {
		one(&config)
	}
	p.Guard, p.kv = New(config), clientv3.NewKVFromKVClient(timeline.WithMarks(w.link), w.etcd)
	return p
}

// check runs checks as Run does, until there is no further action, and returns the state.
func (p *process) check(t *testing.T) State {
	t.Helper()
	for range 20 {
		state := p.Check(t.Context())
		select {
		case <-p.nudge:
		default:
			return state
		}
	}
	t.Fatal("the checks do not come to an end")
	return ""
}

// serving returns a process that uses the store.
func (w *world) serving(change ...func(*Config)) *process {
	w.t.Helper()
	p := w.process(change...)
	require.Equal(w.t, Serving, p.check(w.t))
	require.NoError(w.t, p.Serving())
	return p
}

// crash lets the Lease run out.
func (w *world) crash() { w.clock.Step(storeidentity.LeaseDuration) }

func (w *world) put(key, value string) {
	w.t.Helper()
	_, err := w.link.to.Load().Put(w.t.Context(), w.prefix+key, value)
	require.NoError(w.t, err)
}

func (w *world) configMap() *corev1.ConfigMap {
	w.t.Helper()
	found, err := w.host.CoreV1().ConfigMaps(namespace).Get(w.t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	require.NoError(w.t, err)
	return found
}

func (w *world) record() storeidentity.Record {
	w.t.Helper()
	record, err := storeidentity.Parse(w.configMap())
	require.NoError(w.t, err)
	require.NotNil(w.t, record)
	return *record
}

func (w *world) edit(change func(*corev1.ConfigMap)) {
	w.t.Helper()
	source := w.configMap()
	change(source)
	_, err := w.host.CoreV1().ConfigMaps(namespace).Update(w.t.Context(), source, metav1.UpdateOptions{})
	require.NoError(w.t, err)
}

func (w *world) deleteRecord() {
	w.t.Helper()
	require.NoError(w.t, w.host.CoreV1().ConfigMaps(namespace).Delete(w.t.Context(), storeidentity.ConfigMapName, metav1.DeleteOptions{}))
}

func (w *world) anchor() string {
	w.t.Helper()
	found, err := w.aggregator.ApiregistrationV1().APIServices().Get(w.t.Context(), service, metav1.GetOptions{})
	require.NoError(w.t, err)
	return found.Annotations[storeidentity.AnchorAnnotation]
}

func (w *world) events(reason string) int {
	w.t.Helper()
	found, err := w.host.EventsV1().Events(namespace).List(w.t.Context(), metav1.ListOptions{})
	require.NoError(w.t, err)
	count := 0
	for _, event := range found.Items {
		if event.Reason == reason {
			count++
		}
	}
	return count
}
