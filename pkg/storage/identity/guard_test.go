// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	core "k8s.io/client-go/testing"
	testclock "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/util/keeper"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

func TestGuard_FirstStart(t *testing.T) {
	w := newWorld(t)
	p := w.process()
	require.Error(t, p.Serving())
	require.ErrorContains(t, p.Ready(), "not been checked yet")
	p.Check(t.Context())
	require.ErrorContains(t, p.Ready(), "is being registered", "an installation is awaited until it serves")
	require.Equal(t, Serving, p.check(t))
	require.NoError(t, p.Serving())
	require.NoError(t, p.Ready())
	record := w.record()
	require.EqualValues(t, 1, record.Epoch)
	require.EqualValues(t, "cluster", record.ClusterUID)
	require.Equal(t, record.Anchor.String(), w.anchor())
	lease, err := w.host.CoordinationV1().Leases(namespace).Get(t.Context(), storeidentity.LeaseName, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, record.StoreID+".1."+record.EtcdClusterID, *lease.Spec.HolderIdentity)

	second := w.serving()
	require.Equal(t, record, w.record())
	require.Zero(t, w.events(eventRecordRestored))
	second.Close(t.Context())
	lease, err = w.host.CoordinationV1().Leases(namespace).Get(t.Context(), storeidentity.LeaseName, metav1.GetOptions{})
	require.NoError(t, err)
	require.Nil(t, lease.Spec.HolderIdentity, "a clean stop releases the Lease")
}

// TestGuard_FirstStartCutShort ends a process after each of the writes of a first start. The next one goes on.
func TestGuard_FirstStartCutShort(t *testing.T) {
	for writes := int64(0); ; writes++ {
		w := newWorld(t)
		w.limit(writes)
		p := w.process()
		for range 6 {
			p.Check(t.Context())
		}
		cut := w.cut()
		second := w.serving()
		require.Equal(t, w.record().Anchor, anchorOf(second.bound.Mark))
		require.Equal(t, w.record().Anchor.String(), w.anchor())
		if !cut {
			require.GreaterOrEqual(t, writes, int64(4), "store, record, Lease, anchor")
			return
		}
	}
}

func TestGuard_Migration(t *testing.T) {
	legacy := storeidentity.Record{Anchor: storeidentity.Anchor{StoreID: "id", Epoch: 1}, ClusterUID: "cluster", Revision: 1}
	for name, c := range map[string]struct {
		prepare func(*world, *corev1.ConfigMap)
		state   State
	}{
		"fits": {nil, Serving},
		"an older copy, as was recorded": {func(_ *world,
			m *corev1.ConfigMap) {
			m.Annotations = map[string]string{legacyOlderAnnotation: "id"}
		}, StoreOlder},
		"another copy was the older one": {func(_ *world,
			m *corev1.ConfigMap) {
			m.Annotations = map[string]string{legacyOlderAnnotation: "x"}
		}, Serving},
		"restored and not accepted":       {func(w *world, _ *corev1.ConfigMap) { w.put(RestoredKey, "now") }, StoreRestored},
		"the revision is behind":          {func(_ *world, m *corev1.ConfigMap) { m.Data[storeidentity.RevisionKey] = "1000" }, StoreOlder},
		"another store":                   {func(_ *world, m *corev1.ConfigMap) { m.Data[storeidentity.StoreIDKey] = "o" }, StoreForeign},
		"killed after the epoch in store": {func(w *world, _ *corev1.ConfigMap) { w.migrated() }, Serving},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.put(LegacyKey, "id")
			w.put("/things/a", "value")
			source := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: storeidentity.ConfigMapName}, Data: legacy.Data()}
			if c.prepare != nil {
				c.prepare(w, source)
			}
			_, err := w.host.CoreV1().ConfigMaps(namespace).Create(t.Context(), source, metav1.CreateOptions{})
			require.NoError(t, err)
			p := w.process()
			require.Equal(t, c.state, p.check(t))
			if c.state != Serving {
				require.Equal(t, source.Data, w.configMap().Data, "a refused store changes nothing")
				return
			}
			record := w.record()
			require.Equal(t, legacy.Anchor, record.Anchor)
			require.EqualValues(t, 1, record.Tick)
			require.NotEmpty(t, record.EtcdClusterID)
			require.Equal(t, "id/1", w.anchor())
			found, err := w.etcd.Get(t.Context(), w.prefix+LegacyKey)
			require.NoError(t, err)
			require.Equal(t, "id", string(found.Kvs[0].Value), "replicas of the version before still serve")
			require.Zero(t, w.events(eventRecordRestored))
		})
	}
}

// migrated does what a process does that is killed after it has written the first epoch.
func (w *world) migrated() {
	w.put("/__store/epoch", epoch.Mark{StoreID: "id", Epoch: 1, Nonce: "n"}.Encode())
	w.put("/__store/tick", "1")
}

func TestGuard_RestoresWhatIsEditedWhileBound(t *testing.T) {
	for name, change := range map[string]func(*world){
		"record deleted":          (*world).deleteRecord,
		"record invalid":          func(w *world) { w.edit(func(m *corev1.ConfigMap) { m.Data[storeidentity.RevisionKey] = "x" }) },
		"record of another host":  func(w *world) { w.edit(func(m *corev1.ConfigMap) { m.Data[storeidentity.ClusterUIDKey] = "x" }) },
		"record of another etcd":  func(w *world) { w.edit(func(m *corev1.ConfigMap) { m.Data[storeidentity.EtcdClusterIDKey] = "x" }) },
		"record ahead in ticks":   func(w *world) { w.edit(func(m *corev1.ConfigMap) { m.Data[storeidentity.TickKey] = "99" }) },
		"record ahead of etcd":    func(w *world) { w.edit(func(m *corev1.ConfigMap) { m.Data[storeidentity.RevisionKey] = "9999" }) },
		"data removed":            func(w *world) { w.edit(func(m *corev1.ConfigMap) { m.Data = nil }) },
		"anchor raised":           func(w *world) { w.annotate("s/7") },
		"anchor of another store": func(w *world) { w.annotate("o/1") },
		"anchor unreadable":       func(w *world) { w.annotate("?") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := w.serving()
			require.NoError(t, p.SetFingerprints(t.Context(), "a-secret", []string{"f"}))
			want := w.record()
			change(w)
			require.Equal(t, Serving, p.check(t))
			require.False(t, p.exited.Load())
			require.Equal(t, want, w.record())
			require.Equal(t, want.Anchor.String(), w.anchor())
			if w.anchor() == want.Anchor.String() && name[:6] == "record" {
				require.Equal(t, 1, w.events(eventRecordRestored))
			}
			require.Equal(t, Serving, w.process().check(t), "the next start finds everything as it was")
		})
	}
}

func (w *world) annotate(value string) {
	found, err := w.aggregator.ApiregistrationV1().APIServices().Get(w.t.Context(), service, metav1.GetOptions{})
	require.NoError(w.t, err)
	found.Annotations = map[string]string{storeidentity.AnchorAnnotation: value}
	_, err = w.aggregator.ApiregistrationV1().APIServices().Update(w.t.Context(), found, metav1.UpdateOptions{})
	require.NoError(w.t, err)
}

// secrets counts the calls of the guard for a once-only Secret.
type secrets struct {
	refuse             error
	prepared, restored int
}

func (s *secrets) Prepare(context.Context) error { s.prepared++; return s.refuse }
func (s *secrets) Restore(context.Context) error { s.restored++; return nil }

func TestGuard_ExitsWhenTheStoreIsExchanged(t *testing.T) {
	w := newWorld(t)
	p, kept := w.process(), &secrets{}
	p.Keep(kept)
	require.Equal(t, Serving, p.check(t))
	before := w.record()
	w.link.lead(etcds[1])
	p.Check(t.Context())
	require.True(t, p.exited.Load())
	require.ErrorContains(t, p.Serving(), "no longer the one that this server uses")
	require.Equal(t, 1, kept.restored)
	require.Equal(t, before, w.record(), "it judges its own store only")

	next := w.process()
	require.Equal(t, StoreEmpty, next.check(t))
	require.ErrorContains(t, next.Serving(), "accept-store --id=new")
	found, err := w.link.to.Load().Get(t.Context(), w.prefix+"/__store/epoch")
	require.NoError(t, err)
	require.Empty(t, found.Kvs, "nothing is written to a refused store")
}

func TestGuard_ExitsAtAnotherAcceptance(t *testing.T) {
	for name, change := range map[string]func(*corev1.ConfigMap){
		"higher epoch":                func(m *corev1.ConfigMap) { m.Data[storeidentity.EpochKey] = "2" },
		"same epoch of another store": func(m *corev1.ConfigMap) { m.Data[storeidentity.StoreIDKey] = "other" },
		"higher epoch of another store": func(m *corev1.ConfigMap) {
			m.Data[storeidentity.StoreIDKey], m.Data[storeidentity.EpochKey] = "other", "2"
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := w.serving()
			w.edit(change)
			p.Check(t.Context())
			require.True(t, p.exited.Load())
		})
	}
}

func TestGuard_Lease(t *testing.T) {
	w := newWorld(t)
	first := w.serving(func(c *Config) { c.Member = "one:/data" })
	second := w.process(func(c *Config) { c.Member = "two:/data" })
	require.Equal(t, StoreInUse, second.check(t))
	w.clock.Step(storeidentity.RenewInterval)
	require.Equal(t, Serving, first.check(t))
	w.clock.Step(storeidentity.LeaseDuration - time.Second)
	require.Equal(t, StoreInUse, second.check(t))
	w.clock.Step(storeidentity.LeaseDuration)
	require.Equal(t, Serving, second.check(t), "the first one does not renew any more")
	first.Check(t.Context())
	require.True(t, first.exited.Load(), "two copies must not be used")

	restarted := w.process(func(c *Config) { c.Member = "two:/data" })
	require.Equal(t, Serving, restarted.check(t), "the same folder goes on without a wait")
}

// TestGuard_LeaseOfReplicas has another replica that is faster at each renewal.
func TestGuard_LeaseOfReplicas(t *testing.T) {
	w := newWorld(t)
	faster, slower := w.serving(), w.serving()
	conflict := apierrors.NewConflict(coordinationv1.Resource("leases"), storeidentity.LeaseName, errors.New("changed"))
	var late bool
	w.host.PrependReactor("update", "leases", func(core.Action) (bool, runtime.Object, error) { return late, nil, conflict })
	for range 5 {
		w.clock.Step(storeidentity.RenewInterval)
		late = false
		require.Equal(t, Serving, faster.check(t))
		late = true
		require.Equal(t, Serving, slower.check(t))
		require.NoError(t, slower.Serving())
	}
}

// TestGuard_LeaseOfAnotherClock has two servers whose clocks differ by more than the duration of the Lease.
func TestGuard_LeaseOfAnotherClock(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"behind": -time.Hour, "ahead": time.Hour} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			other := testclock.NewFakeClock(w.clock.Now().Add(ahead))
			first := w.serving(func(c *Config) { c.Member, c.Clock = "one:/data", other })
			second := w.process(func(c *Config) { c.Member = "two:/data" })
			for range 5 {
				require.Equal(t, StoreInUse, second.check(t))
				other.Step(storeidentity.RenewInterval)
				w.clock.Step(storeidentity.RenewInterval)
				require.Equal(t, Serving, first.check(t))
			}
			w.clock.Step(storeidentity.LeaseDuration)
			require.Equal(t, StoreInUse, second.check(t), "it has not seen the last renewal before")
			w.clock.Step(storeidentity.LeaseDuration)
			require.Equal(t, Serving, second.check(t))
		})
	}
}

func TestGuard_GateClosesWithoutTheCluster(t *testing.T) {
	w := newWorld(t)
	p := w.serving()
	w.hostDown.Store(true)
	w.clock.Step(recordPatience - time.Second)
	require.Equal(t, HostUnknown, p.check(t))
	require.NoError(t, p.Serving())
	w.clock.Step(time.Second)
	require.ErrorContains(t, p.Serving(), "was read 30s ago")
	require.NoError(t, p.Ready(), "the pod stays reachable for discovery")
	w.hostDown.Store(false)
	require.Equal(t, Serving, p.check(t))
	require.NoError(t, p.Serving(), "a check that passes opens the gate")
	require.False(t, p.exited.Load())

	w.limit(0)
	for range 5 {
		w.clock.Step(storeidentity.RenewInterval)
		p.check(t)
	}
	require.ErrorContains(t, p.Serving(), "Lease roadstead-store was renewed 50s ago")
}

func TestGuard_EtcdUnavailable(t *testing.T) {
	w := newWorld(t)
	p := w.serving()
	w.link.down.Store(true)
	for range 6 {
		w.clock.Step(storeidentity.RenewInterval)
		require.Equal(t, StoreUnreachable, p.check(t))
	}
	require.NoError(t, p.Serving(), "caches hold the bound epoch, and the Lease is renewed")
	_, err := p.kv.Get(t.Context(), w.prefix+"/things/a")
	require.Equal(t, codes.Unavailable, status.Code(err), "no request waits for etcd: %v", err)
	require.Equal(t, StoreUnreachable, w.process().check(t))
}

func TestGuard_Readiness(t *testing.T) {
	w := newWorld(t)
	w.serving()
	right := w.link.to.Load()
	w.link.lead(etcds[1])
	misled := w.process()
	require.Equal(t, StoreEmpty, misled.check(t))
	require.ErrorContains(t, misled.Ready(), "is empty", "a rollout halts while another server uses the store")
	w.clock.Step(storeidentity.LeaseDuration)
	misled.check(t)
	require.NoError(t, misled.Ready(), "nobody uses a store: the message must reach clients")
	w.link.lead(right)
	require.Equal(t, Serving, misled.check(t))
}

func TestGuard_SecretRefused(t *testing.T) {
	w := newWorld(t)
	p, kept := w.process(), &secrets{refuse: &keeper.RefusedError{Reason: string(SecretMissing), Message: "Restore the Secret."}}
	p.Keep(kept)
	require.Equal(t, SecretMissing, p.check(t))
	require.EqualError(t, p.Serving(), "Roadstead does not answer (SecretMissing): Restore the Secret.")
	_, err := w.host.CoordinationV1().Leases(namespace).Get(t.Context(), storeidentity.LeaseName, metav1.GetOptions{})
	require.Error(t, err, "a store that waits is not in use")
	kept.refuse = errors.New("get Secret: unavailable")
	require.Equal(t, HostUnknown, p.check(t))
	kept.refuse = nil
	require.Equal(t, Serving, p.check(t))
	prepared := kept.prepared
	p.check(t)
	require.Equal(t, prepared, kept.prepared)
}

func TestGuard_Tick(t *testing.T) {
	w := newWorld(t)
	p := w.serving()
	w.clock.Step(tickInterval)
	p.check(t) // what the start wrote
	before := w.record()
	w.clock.Step(tickInterval)
	p.check(t)
	require.Equal(t, before, w.record(), "an idle store is not written to")
	_, err := p.kv.Put(t.Context(), w.prefix+"/things/a", "value")
	require.NoError(t, err)
	p.check(t)
	after := w.record()
	require.Equal(t, before.Tick+1, after.Tick)
	require.Greater(t, after.Revision, before.Revision)
	_, err = p.kv.Put(t.Context(), w.prefix+"/things/b", "value")
	require.NoError(t, err)
	p.check(t)
	require.Equal(t, after, w.record(), "not before 15 seconds have passed")
	p.Close(t.Context())
	require.Equal(t, after.Tick+1, w.record().Tick, "a clean stop confirms the last writes")
}

func TestGuard_BindsUnderNoSpace(t *testing.T) {
	w := newWorld(t)
	full, stop, err := startEtcd()
	require.NoError(t, err)
	defer stop()
	w.etcd = full
	w.link.lead(full)
	w.serving().Close(t.Context())
	members, err := w.etcd.MemberList(t.Context())
	require.NoError(t, err)
	_, err = pb.NewMaintenanceClient(w.etcd.ActiveConnection()).Alarm(t.Context(), &pb.AlarmRequest{
		Action: pb.AlarmRequest_ACTIVATE, MemberID: members.Members[0].ID, Alarm: pb.AlarmType_NOSPACE,
	})
	require.NoError(t, err)
	p := w.serving()
	_, err = p.kv.Put(t.Context(), w.prefix+"/things/a", "value")
	require.Error(t, err)
	_, err = p.kv.Delete(t.Context(), w.prefix+"/things/b")
	require.NoError(t, err, "deletes free the space")
	w.clock.Step(tickInterval)
	require.Equal(t, Serving, p.check(t), "a tick that fails fails nothing else")
	require.False(t, p.exited.Load())
}
