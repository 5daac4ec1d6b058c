// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// ask writes a request to accept the store that a process observes.
func (w *world) ask(p *process) storeidentity.Request {
	w.t.Helper()
	header, err := p.Header(w.t.Context())
	require.NoError(w.t, err)
	request := storeidentity.Request{Nonce: "nonce", StoreID: header.StoreID, EtcdClusterID: header.EtcdClusterID,
		Revision: header.Revision, Reason: "test"}
	if request.StoreID == "" {
		request.StoreID = storeidentity.NewStore
	}
	configMaps := w.host.CoreV1().ConfigMaps(namespace)
	if _, err := configMaps.Get(w.t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{}); err != nil {
		_, err = configMaps.Create(w.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: storeidentity.ConfigMapName},
			Data: map[string]string{storeidentity.RequestKey: request.String()}}, metav1.CreateOptions{})
		require.NoError(w.t, err)
		return request
	}
	w.edit(func(m *corev1.ConfigMap) {
		if m.Data == nil {
			m.Data = map[string]string{}
		}
		m.Data[storeidentity.RequestKey] = request.String()
	})
	return request
}

// loss is what happens to a store in use, and the state in which the next process refuses it.
type loss struct {
	lose  func(*world)
	state State
}

// refused lets a store in use be lost, and returns a process that refuses it and the record of before.
func (w *world) refused(c loss) (*process, storeidentity.Record) {
	w.t.Helper()
	w.serving()
	w.put("/things/a", "value")
	before := w.record()
	w.crash()
	c.lose(w)
	p := w.process()
	require.Equal(w.t, c.state, p.check(w.t))
	return p, before
}

// losses are what an administrator accepts.
var losses = map[string]loss{
	"record deleted": {(*world).deleteRecord, RecordMissing},
	"record invalid": {func(w *world) { w.edit(func(m *corev1.ConfigMap) { m.Data[storeidentity.TickKey] = "x" }) }, RecordInvalid},
	"cluster rebuilt": {func(w *world) { w.edit(func(m *corev1.ConfigMap) { m.Data[storeidentity.ClusterUIDKey] = "before" }) },
		ClusterForeign},
	"record older": {func(w *world) { w.raiseStore() }, RecordOlder},
}

// raiseStore leaves a later epoch in the store, as an acceptance whose request was removed.
func (w *world) raiseStore() {
	w.t.Helper()
	s := store{raw: w.etcd, prefix: w.prefix}
	seen, err := s.look(w.t.Context(), w.etcd)
	require.NoError(w.t, err)
	mark := first(seen.Store)
	mark.Epoch = 2
	require.NoError(w.t, s.begin(w.t.Context(), seen, mark, seen.Tick+1))
}

func TestGuard_Accept(t *testing.T) {
	for name, c := range losses {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p, before := w.refused(c)
			require.ErrorContains(t, p.Serving(), "accept-store --id=")
			w.crash()
			w.ask(p)
			require.Equal(t, Serving, p.check(t))
			w.requireAccepted(before)
		})
	}
}

// requireAccepted requires that the cluster knows the epoch after that of a record, and that no request is left.
func (w *world) requireAccepted(before storeidentity.Record) {
	w.t.Helper()
	after := w.record()
	require.Greater(w.t, after.Epoch, before.Epoch)
	require.Equal(w.t, before.StoreID, after.StoreID)
	require.EqualValues(w.t, "cluster", after.ClusterUID)
	require.Equal(w.t, after.Anchor.String(), w.anchor())
	require.NotContains(w.t, w.configMap().Data, storeidentity.RequestKey)
	_, err := w.link.to.Load().Get(w.t.Context(), w.prefix+"/things/a", clientv3.WithRev(2))
	require.ErrorIs(w.t, err, rpctypes.ErrCompacted, "older watches have to list again")
	require.Equal(w.t, Serving, w.process().check(w.t), "the next start")
}

// TestGuard_AcceptKilledAfterEachStep ends the process after each write of an acceptance. The next one completes it.
func TestGuard_AcceptKilledAfterEachStep(t *testing.T) {
	for name, c := range losses {
		t.Run(name, func(t *testing.T) {
			for writes := int64(0); ; writes++ {
				w := newWorld(t)
				p, before := w.refused(c)
				w.crash()
				w.ask(p)
				w.limit(writes)
				for range 6 {
					p.Check(t.Context())
				}
				done := !w.cut()
				next := w.process()
				next.check(t)
				w.crash()
				require.Equal(t, Serving, next.check(t))
				w.requireAccepted(before)
				if done {
					return
				}
			}
		})
	}
}

func TestGuard_AcceptExternalNeedsAHigherRevision(t *testing.T) {
	for name, c := range map[string]struct {
		lose  func(*world)
		state State
	}{
		"empty": {func(w *world) { w.link.lead(etcds[1]) }, StoreEmpty},
		"identity deleted": {func(w *world) {
			_, err := w.etcd.Delete(w.t.Context(), w.prefix+"/__", clientv3.WithPrefix())
			require.NoError(w.t, err)
		}, StoreUnmarked},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.serving()
			w.put("/things/a", "value")
			w.crash()
			c.lose(w)
			w.edit(func(m *corev1.ConfigMap) { m.Data[storeidentity.RevisionKey] = "1000000" })
			before := w.record()
			p := w.process()
			require.Equal(t, c.state, p.check(t))
			w.crash()
			p.check(t)
			w.ask(p)
			require.Equal(t, c.state, p.check(t))
			require.ErrorContains(t, p.Serving(), "must exceed the recorded")
			require.Equal(t, before, w.record())
		})
	}
}

func TestGuard_AcceptWaitsForTheLease(t *testing.T) {
	w := newWorld(t)
	healthy := w.serving()
	right := w.link.to.Load()
	other := etcds[1]
	w.link.lead(other)
	misled := w.process(func(c *Config) { c.Renumber = func(context.Context) error { return nil } })
	require.Equal(t, StoreEmpty, misled.check(t))
	w.ask(misled)
	require.Equal(t, StoreEmpty, misled.check(t), "a server uses the store of the record")
	require.ErrorContains(t, misled.Serving(), "stop that server")
	found, err := other.Get(t.Context(), w.prefix+"/", clientv3.WithPrefix())
	require.NoError(t, err)
	require.Empty(t, found.Kvs)
	w.link.lead(right)
	require.Equal(t, Serving, healthy.check(t), "the request is about another store")
	require.Contains(t, w.configMap().Data, storeidentity.RequestKey)
}

func TestGuard_AcceptEmbeddedRaisesTheRevision(t *testing.T) {
	w := newWorld(t)
	w.serving(func(c *Config) { c.Member = "host:/data" })
	before := w.record()
	w.link.lead(etcds[1])
	raised := 0
	embedded := func(c *Config) {
		c.Member = "host:/data"
		c.Renumber = func(context.Context) error { raised++; return nil }
	}
	p := w.process(embedded)
	require.Equal(t, StoreEmpty, p.check(t))
	request := w.ask(p)
	for range 3 {
		p.Check(t.Context())
	}
	require.Positive(t, raised, "the process ends here")
	require.Equal(t, before.Anchor, w.record().Anchor, "the record is written when the revision is raised")

	// So many writes would take long, so the request says that the revision was raised already.
	request.Revision = -Margin
	w.edit(func(m *corev1.ConfigMap) { m.Data = map[string]string{storeidentity.RequestKey: request.String()} })
	next := w.process(func(c *Config) {
		c.Member = "host:/data"
		c.Renumber = func(context.Context) error { t.Error("the revision is raised once"); return nil }
	})
	require.Equal(t, Serving, next.check(t))
	require.EqualValues(t, 2, w.record().Epoch)
	require.NotEqual(t, before.StoreID, w.record().StoreID)
}
