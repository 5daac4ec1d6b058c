// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	core "k8s.io/client-go/testing"
	testclock "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/apiserver/gate"
	"roadstead.dev/roadstead/pkg/storage/etcd"
	"roadstead.dev/roadstead/pkg/storeidentity"
)

const namespace = "roadstead-system"

// world is a cluster and an etcd, in which each test has a prefix of its own.
type world struct {
	t      *testing.T
	etcd   *clientv3.Client
	prefix string
	host   *fake.Clientset
	clock  *testclock.FakeClock
	// etcdDown and hostDown make every call fail.
	etcdDown, hostDown atomic.Bool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	server, err := etcd.Start(t.Context(), t.TempDir(), "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint()}, DialTimeout: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	w := &world{
		t: t, etcd: client, prefix: "/registry/roadstead.dev", clock: testclock.NewFakeClock(time.Now()),
		host: fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system", UID: "cluster"}}),
	}
	w.host.PrependReactor("*", "*", func(core.Action) (bool, runtime.Object, error) {
		return w.hostDown.Load(), nil, errors.New("host is away")
	})
	return w
}

// faulty is an etcd that can be taken away.
type faulty struct {
	clientv3.KV
	down *atomic.Bool
}

var errAway = errors.New("etcd is away")

func (f faulty) Get(ctx context.Context, key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if f.down.Load() {
		return nil, errAway
	}
	return f.KV.Get(ctx, key, options...)
}

func (f faulty) Txn(ctx context.Context) clientv3.Txn {
	if f.down.Load() {
		return awayTxn{}
	}
	return f.KV.Txn(ctx)
}

type awayTxn struct{}

func (t awayTxn) If(...clientv3.Cmp) clientv3.Txn      { return t }
func (t awayTxn) Then(...clientv3.Op) clientv3.Txn     { return t }
func (t awayTxn) Else(...clientv3.Op) clientv3.Txn     { return t }
func (awayTxn) Commit() (*clientv3.TxnResponse, error) { return nil, errAway }

func (w *world) guard() *Guard {
	return New(Config{
		Etcd: faulty{KV: w.etcd, down: &w.etcdDown}, Prefix: w.prefix, Host: w.host, Namespace: namespace, Gate: gate.New(), Clock: w.clock,
	})
}

// started is a guard whose store fits.
func (w *world) started() *Guard {
	w.t.Helper()
	g := w.guard()
	require.Equal(w.t, FirstStart, g.Check(w.t.Context()))
	require.Equal(w.t, Fits, g.Check(w.t.Context()))
	require.NoError(w.t, g.Ready())
	return g
}

func (w *world) put(key, value string) {
	w.t.Helper()
	_, err := w.etcd.Put(w.t.Context(), w.prefix+key, value)
	require.NoError(w.t, err)
}

func (w *world) wipe() {
	w.t.Helper()
	_, err := w.etcd.Delete(w.t.Context(), w.prefix+"/", clientv3.WithPrefix())
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

// change changes the ConfigMap.
func (w *world) change(change func(*corev1.ConfigMap)) {
	w.t.Helper()
	source := w.configMap()
	change(source)
	_, err := w.host.CoreV1().ConfigMaps(namespace).Update(w.t.Context(), source, metav1.UpdateOptions{})
	require.NoError(w.t, err)
}

func (w *world) ask(id string) {
	w.t.Helper()
	w.change(func(source *corev1.ConfigMap) {
		annotate(source, storeidentity.AcceptAnnotation, id)
		annotate(source, storeidentity.AcceptReasonAnnotation, "because")
	})
}

func (w *world) requireRefused(g *Guard, want State) {
	w.t.Helper()
	require.Equal(w.t, want, g.Check(w.t.Context()))
	require.Error(w.t, g.Ready())
	err := g.Prove(w.t.Context())
	require.True(w.t, apierrors.IsServiceUnavailable(err), "%v", err)
}

func TestFirstStart(t *testing.T) {
	w := newWorld(t)
	g := w.guard()
	require.ErrorContains(t, g.Ready(), "has not been checked yet")
	require.True(t, apierrors.IsServiceUnavailable(g.Prove(t.Context())), "nothing is proven before the check")
	require.Equal(t, Fits, g.Check(t.Context()), "the proof led to the first one")
	require.NoError(t, g.Ready())
	record := w.record()
	id, revision, err := g.store.identity(t.Context())
	require.NoError(t, err)
	require.Equal(t, storeidentity.Anchor{StoreID: id, Epoch: 1}, record.Anchor)
	require.Equal(t, revision, record.Revision)
	require.Equal(t, "cluster", string(record.ClusterUID))
	require.NoError(t, g.Prove(t.Context()))
	require.Equal(t, Fits, w.guard().Check(t.Context()), "the next start")
}

func TestAFirstStartThatWasCutShortGoesOn(t *testing.T) {
	w := newWorld(t)
	w.put(IdentityKey, "half")
	w.started()
	require.Equal(t, "half", w.record().StoreID)
}

func TestReplicasThatStartTogetherAgree(t *testing.T) {
	w := newWorld(t)
	a, b := w.guard(), w.guard()
	found, err := a.store.look(t.Context())
	require.NoError(t, err)
	known, err := a.host.look(t.Context())
	require.NoError(t, err)
	require.Equal(t, FirstStart, b.Check(t.Context()))
	require.Error(t, a.register(t.Context(), a.put(found, known, 0), known, holding), "b was faster")
	require.Equal(t, Fits, a.Check(t.Context()))
	require.Equal(t, Fits, b.Check(t.Context()))
}

func TestRefusalsAndTheirEnd(t *testing.T) {
	t.Run("wiped, then a new store is accepted", func(t *testing.T) {
		w := newWorld(t)
		g := w.started()
		before := w.record().StoreID
		w.put("/a/b", "c")
		require.Equal(t, Fits, g.Check(t.Context()))
		w.wipe()
		w.requireRefused(g, StoreEmpty)
		w.ask(before)
		w.requireRefused(g, StoreEmpty)
		w.ask(storeidentity.NewStore)
		require.Equal(t, StoreEmpty, g.Check(t.Context()))
		require.Equal(t, Fits, g.Check(t.Context()))
		require.NotEqual(t, before, w.record().StoreID)
		annotations := w.configMap().Annotations
		require.NotContains(t, annotations, storeidentity.AcceptAnnotation)
		require.Equal(t, w.record().StoreID, annotations[storeidentity.AcceptedAnnotation])
		require.Equal(t, "because", annotations[storeidentity.AcceptReasonAnnotation])
		require.NotEmpty(t, annotations[storeidentity.AcceptedTimeAnnotation])
	})
	t.Run("wiped, then back again", func(t *testing.T) {
		w := newWorld(t)
		g := w.started()
		id := w.record().StoreID
		w.wipe()
		w.requireRefused(g, StoreEmpty)
		w.put(IdentityKey, id)
		require.Equal(t, Fits, g.Check(t.Context()))
		require.NoError(t, g.Prove(t.Context()))
	})
	t.Run("foreign", func(t *testing.T) {
		w := newWorld(t)
		g := w.started()
		w.put(IdentityKey, "foreign")
		w.requireRefused(g, StoreForeign)
		w.ask("foreign")
		require.Equal(t, StoreForeign, g.Check(t.Context()))
		require.Equal(t, Fits, g.Check(t.Context()))
		require.Equal(t, "foreign", w.record().StoreID)
	})
	t.Run("record missing", func(t *testing.T) {
		w := newWorld(t)
		g := w.started()
		w.put("/a/b", "c")
		source := w.configMap()
		configMaps := w.host.CoreV1().ConfigMaps(namespace)
		require.NoError(t, configMaps.Delete(t.Context(), source.Name, metav1.DeleteOptions{}))
		w.requireRefused(g, RecordMissing)
		id := source.Data[storeidentity.StoreIDKey]
		_, err := configMaps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: source.Name, Annotations: map[string]string{storeidentity.AcceptAnnotation: id},
		}}, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Equal(t, RecordMissing, g.Check(t.Context()))
		require.Equal(t, Fits, g.Check(t.Context()))
		require.Equal(t, id, w.record().StoreID)
	})
	t.Run("record damaged", func(t *testing.T) {
		w := newWorld(t)
		g := w.started()
		w.change(func(source *corev1.ConfigMap) { source.Data[storeidentity.RevisionKey] = "many" })
		w.requireRefused(g, RecordDamaged)
	})
	t.Run("rebuilt cluster", func(t *testing.T) {
		w := newWorld(t)
		g := w.started()
		w.change(func(source *corev1.ConfigMap) { source.Data[storeidentity.ClusterUIDKey] = "another" })
		w.requireRefused(g, ClusterForeign)
	})
	t.Run("restored", func(t *testing.T) {
		w := newWorld(t)
		g := w.started()
		w.put(RestoredKey, "now")
		w.requireRefused(g, StoreRestored)
		w.ask(w.record().StoreID)
		require.Equal(t, StoreRestored, g.Check(t.Context()))
		require.Equal(t, Fits, g.Check(t.Context()))
		require.Equal(t, Fits, w.guard().Check(t.Context()))
	})
	t.Run("objects without id", func(t *testing.T) {
		w := newWorld(t)
		w.put("/a/b", "c")
		w.requireRefused(w.guard(), StoreUnmarked)
	})
}

func TestAnOlderCopyStaysOneUntilItIsAccepted(t *testing.T) {
	w := newWorld(t)
	g := w.started()
	ahead := w.record().Revision + 3
	w.change(func(source *corev1.ConfigMap) {
		source.Data[storeidentity.RevisionKey] = storeidentity.Record{Revision: ahead}.Data()[storeidentity.RevisionKey]
	})
	other := w.guard()
	w.requireRefused(g, StoreOlder)
	for range 5 {
		w.put("/x", "y") // as compaction does
	}
	w.requireRefused(g, StoreOlder)
	w.requireRefused(other, StoreOlder)
	w.requireRefused(w.guard(), StoreOlder)
	require.Equal(t, w.record().StoreID, w.configMap().Annotations[storeidentity.OlderAnnotation])
	w.ask(w.record().StoreID)
	require.Equal(t, StoreOlder, g.Check(t.Context()))
	require.Equal(t, Fits, g.Check(t.Context()))
	require.Equal(t, Fits, other.Check(t.Context()))
	require.NotContains(t, w.configMap().Annotations, storeidentity.OlderAnnotation)
}

func TestProofCatchesALossBeforeTheNextCheck(t *testing.T) {
	w := newWorld(t)
	g := w.started()
	require.NoError(t, g.Prove(t.Context()))
	w.wipe()
	err := g.Prove(t.Context())
	require.True(t, apierrors.IsServiceUnavailable(err), "%v", err)
	require.ErrorContains(t, err, "accept-store --id=new")
	require.ErrorContains(t, g.Ready(), "is empty")
	require.Equal(t, StoreEmpty, g.State())
}

func TestProofCatchesAStoreThatFellBehind(t *testing.T) {
	w := newWorld(t)
	g := w.started()
	g.saw(g.floor() + 5) // the store was ahead once
	err := g.Prove(t.Context())
	require.ErrorContains(t, err, "is an older copy")
	require.Equal(t, StoreOlder, g.State())
}

func TestEtcdAway(t *testing.T) {
	w := newWorld(t)
	w.etcdDown.Store(true)
	g := w.guard()
	w.requireRefused(g, StoreUnreachable)
	w.etcdDown.Store(false)
	require.Equal(t, FirstStart, g.Check(t.Context()))
	require.Equal(t, Fits, g.Check(t.Context()))
	w.etcdDown.Store(true)
	require.True(t, apierrors.IsServiceUnavailable(g.Prove(t.Context())))
	require.Equal(t, Fits, g.Check(t.Context()), "one failure may be a hiccup")
	w.requireRefused(g, StoreUnreachable)
	w.etcdDown.Store(false)
	require.Equal(t, Fits, g.Check(t.Context()))
	require.NoError(t, g.Prove(t.Context()))
}

func TestCallsEndWhenTheStoreStopsToFit(t *testing.T) {
	w := newWorld(t)
	g := w.started()
	bound, release := g.While(t.Context())
	defer release()
	released, release := g.While(t.Context())
	release()
	require.Error(t, released.Err())
	require.NoError(t, bound.Err())
	w.etcdDown.Store(true)
	g.Check(t.Context())
	require.NoError(t, bound.Err())
	g.Check(t.Context())
	<-bound.Done()
	w.etcdDown.Store(false)
	require.Equal(t, Fits, g.Check(t.Context()))
	again, release := g.While(t.Context())
	defer release()
	require.NoError(t, again.Err())
}

func TestHostAway(t *testing.T) {
	w := newWorld(t)
	g := w.started()
	w.hostDown.Store(true)
	w.requireRefused(w.guard(), HostUnreachable)
	require.Equal(t, Fits, g.Check(t.Context()), "what was read before counts")
	w.wipe()
	w.requireRefused(g, StoreEmpty)
}

func TestTheRecordFollowsRealWritesOnceAMinute(t *testing.T) {
	w := newWorld(t)
	g := w.started()
	first := w.record().Revision
	compact := func() {
		_, err := w.etcd.Put(t.Context(), compactionKey, "1")
		require.NoError(t, err)
	}
	for range 3 {
		compact()
		w.clock.Step(2 * mirrorEvery)
		require.Equal(t, Fits, g.Check(t.Context()))
	}
	require.Equal(t, first, w.record().Revision, "compaction is no reason to write")
	w.put("/a", "b")
	require.Equal(t, Fits, g.Check(t.Context()))
	second := w.record().Revision
	require.Greater(t, second, first)
	w.put("/a", "c")
	require.Equal(t, Fits, g.Check(t.Context()))
	w.clock.Step(mirrorEvery - time.Second)
	require.Equal(t, Fits, g.Check(t.Context()))
	require.Equal(t, second, w.record().Revision, "not twice in a minute")
	w.clock.Step(time.Second)
	require.Equal(t, Fits, g.Check(t.Context()))
	third := w.record().Revision
	require.Greater(t, third, second)
	writes := len(w.host.Actions())
	g.Close(t.Context())
	require.Equal(t, third, w.record().Revision)
	w.put("/a", "d")
	g.Close(t.Context())
	require.Equal(t, third+1, w.record().Revision, "and at the end")
	require.Greater(t, len(w.host.Actions()), writes)
}

func TestRunLetsAnAcceptedStorePass(t *testing.T) {
	w := newWorld(t)
	g := w.started()
	w.wipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); g.Run(ctx) }()
	require.Eventually(t, func() bool { return g.State() == StoreEmpty && w.clock.HasWaiters() }, 10*time.Second, 5*time.Millisecond)
	w.ask(storeidentity.NewStore)
	w.clock.Step(retryEvery)
	require.Eventually(t, func() bool { return g.State() == Fits }, 10*time.Second, 5*time.Millisecond)
	cancel()
	<-ended
}

func TestABatchNeverServesAnOlderResult(t *testing.T) {
	var began atomic.Int64
	release := make(chan struct{})
	b := &batch{run: func() error {
		if began.Add(1) == 1 {
			<-release
			return nil
		}
		return errAway
	}}
	first, later := make(chan error, 1), make(chan error, 20)
	go func() { first <- b.do(t.Context()) }()
	require.Eventually(t, func() bool { return began.Load() == 1 }, 10*time.Second, time.Millisecond)
	for range cap(later) {
		go func() { later <- b.do(t.Context()) }()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, b.do(ctx), context.DeadlineExceeded)
	close(release)
	require.NoError(t, <-first)
	for range cap(later) {
		require.ErrorIs(t, <-later, errAway, "who came during the first run gets a later one")
	}
	assert.LessOrEqual(t, began.Load(), int64(1+cap(later)))
}
