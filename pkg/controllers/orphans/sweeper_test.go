// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

func TestSweep_DeletesAfterTheWait(t *testing.T) {
	w := newWorld(t, "gone")
	before := testutil.ToFloat64(deleted.WithLabelValues("User"))
	w.after(0)
	w.after(59 * time.Second)
	require.Len(t, w.left(), 3, "not yet")
	w.after(time.Second)
	require.Equal(t, []string{"there/arena"}, w.left())
	require.InDelta(t, before+1, testutil.ToFloat64(deleted.WithLabelValues("User")), 0)
	require.Contains(t, w.said(), "OrphanDeleted Domain gone/arena was deleted")
	w.after(time.Minute)
	require.Equal(t, []string{"there/arena"}, w.left())
	require.Empty(t, w.firstAbsent, "what holds nothing any more is forgotten")
	require.NotContains(t, w.stored().Annotations, HoldAnnotation)
}

// After the cluster was restored from a backup that is older than a namespace, the namespace is
// absent although it was not deleted. Even a single such namespace is held.
func TestSweep_RolledBackClusterDeletesNothing(t *testing.T) {
	for _, more := range []int{0, 1, 9, 30} {
		w := newWorld(t)
		for i := range more {
			require.NoError(t, w.store.Create(t.Context(), domainIn(fmt.Sprintf("n%d", i))))
		}
		for range 5 {
			w.after(time.Hour)
		}
		require.Len(t, w.left(), 3+more)
		require.InDelta(t, 1+more, held(t, "NamespaceEndNotSeen"), 0)
		stored := holdOf(w.stored())
		require.EqualValues(t, 1+more, stored.Held)
		said := w.said()
		require.Contains(t, said, "Warning NamespaceEndNotSeen")
		require.Contains(t, said, "kubectl annotate configmap roadstead-store-identity -n roadstead-system --overwrite "+
			"roadstead.dev/release-hold="+stored.Token)
		_, err := storeidentity.Parse(w.stored())
		require.NoError(t, err, "the record is still one")
	}
}

func TestSweep_SeenEndsAreNotHeldWithOthers(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		name := fmt.Sprintf("n%d", i)
		w.saw(name)
		require.NoError(t, w.store.Create(t.Context(), domainIn(name)))
	}
	w.after(0)
	w.after(time.Minute)
	require.ElementsMatch(t, []string{"there/arena", "gone/arena", "gone/ann"}, w.left(), "no limit for what was deleted on purpose")
	require.InDelta(t, 1, held(t, "NamespaceEndNotSeen"), 0)
}

func TestSweep_Release(t *testing.T) {
	w := newWorld(t)
	w.after(0)
	w.after(time.Minute)
	token := holdOf(w.stored()).Token
	w.annotate("1-000000")
	w.said()
	w.after(time.Second)
	require.Len(t, w.left(), 3)
	require.Contains(t, w.said(), "ReleaseDoesNotMatch The annotation roadstead.dev/release-hold=1-000000 does not match")
	require.NotContains(t, w.stored().Annotations, hold.ReleaseAnnotation)

	w.annotate(token)
	w.writing = errors.New("conflict")
	w.after(time.Second)
	require.Len(t, w.left(), 3, "a release that cannot be stored has no effect")
	w.writing = nil
	w.after(time.Second)
	require.Equal(t, []string{"there/arena"}, w.left())
	require.Contains(t, w.said(), "Normal HoldReleased")
	require.NotContains(t, w.stored().Annotations, hold.ReleaseAnnotation, "one use")
	require.Zero(t, held(t, "NamespaceEndNotSeen"))
	ended, err := w.namespaces.Ended(t.Context(), "gone")
	require.NoError(t, err)
	require.True(t, ended, "finalizers of the namespace may let go")

	w.after(time.Second)
	require.Empty(t, w.stored().Annotations, "the record bears nothing when nothing is held")
	require.NoError(t, w.store.Create(t.Context(), domainIn("gone")))
	w.after(0)
	w.after(time.Minute)
	require.Contains(t, w.left(), "gone/arena", "a release does not last")
}

func TestSweep_ReleaseOutlivesTheProcess(t *testing.T) {
	w := newWorld(t)
	held := domainIn("gone")
	held.Name, held.UID, held.Finalizers = "held", "held", []string{"test/holds"}
	require.NoError(t, w.store.Create(t.Context(), held))
	w.after(0)
	w.after(time.Minute)
	w.annotate(holdOf(w.stored()).Token)
	w.after(time.Second)
	require.Equal(t, []string{"there/arena"}, w.left())
	w.restarted()
	w.after(0)
	require.Equal(t, []string{"gone"}, holdOf(w.stored()).Released, "an object of it is still being deleted")
	w.after(time.Minute)
	ended, err := w.namespaces.Ended(t.Context(), "gone")
	require.NoError(t, err)
	require.True(t, ended)
}

func TestSweep_RestartForgetsWhatWasSeen(t *testing.T) {
	w := newWorld(t, "gone")
	w.after(0)
	w.restarted()
	w.after(time.Hour)
	w.after(time.Hour)
	require.Len(t, w.left(), 3)
	require.InDelta(t, 1, held(t, "NamespaceEndNotSeen"), 0)
	require.NoError(t, w.store.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "gone"}}))
	w.after(time.Second)
	require.Zero(t, held(t, "NamespaceEndNotSeen"), "to create the namespace ends the hold")
	require.Empty(t, w.stored().Annotations)
	require.Len(t, w.left(), 3)
}

func TestSweep_HoldIsAnnouncedWhenItChanges(t *testing.T) {
	w := newWorld(t)
	w.after(0)
	w.after(time.Minute)
	require.Contains(t, w.said(), "gone")
	w.after(time.Minute)
	require.Empty(t, w.said())
	require.NoError(t, w.store.Create(t.Context(), domainIn("other")))
	w.after(0)
	require.Empty(t, w.said())
	w.after(time.Minute)
	require.Contains(t, w.said(), "(2): gone, other.")
	w.after(announcePeriod)
	require.Contains(t, w.said(), "(2): gone, other.", "events expire")
}

func TestSweep_FailedReadIsNoEvidence(t *testing.T) {
	w := newWorld(t, "gone")
	w.looking = errors.New("no answer")
	for range 3 {
		w.after(time.Hour)
	}
	require.Len(t, w.left(), 3)
	w.looking = nil
	w.after(time.Hour)
	require.Len(t, w.left(), 3, "the first look that counts")
}

func TestSweep_NamespaceThatExistsAgainIsSpared(t *testing.T) {
	w := newWorld(t, "gone")
	w.after(0)
	objects, err := w.find(t.Context())
	require.NoError(t, err)
	require.NoError(t, w.store.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "gone"}}))
	w.sweep(t.Context(), "gone", objects["gone"])
	require.Len(t, w.left(), 3)
	w.after(time.Hour)
	require.Len(t, w.left(), 3)
	require.Empty(t, w.firstAbsent)
}

func TestSweep_ObjectThatWasCreatedAgainIsSpared(t *testing.T) {
	w := newWorld(t, "gone")
	objects, err := w.find(t.Context())
	require.NoError(t, err)
	old := domainIn("gone")
	require.NoError(t, w.store.Delete(t.Context(), old))
	anew := domainIn("gone")
	anew.UID = "another"
	require.NoError(t, w.store.Create(t.Context(), anew))
	w.sweep(t.Context(), "gone", objects["gone"])
	require.Contains(t, w.left(), "gone/arena")
}

func TestSweep_NeedsAFittingRecord(t *testing.T) {
	broken := record(testCluster)
	broken.Data = nil
	for name, found := range map[string]*corev1.ConfigMap{"missing": nil, "another cluster": record("another cluster"), "unreadable": broken} {
		for _, seen := range []bool{true, false} {
			w := newWorld(t)
			if seen {
				w.saw("gone")
			}
			require.NoError(t, w.store.Delete(t.Context(), record(testCluster)))
			if found != nil {
				require.NoError(t, w.store.Create(t.Context(), found))
			}
			w.after(0)
			require.Zero(t, held(t, holdStoreIdentity), name)
			w.after(time.Hour)
			require.Len(t, w.left(), 3, name)
			require.InDelta(t, 1, held(t, holdStoreIdentity), 0, name)
			if found != nil {
				require.NoError(t, w.store.Delete(t.Context(), found))
			}
			require.NoError(t, w.store.Create(t.Context(), record(testCluster)))
			w.after(time.Hour)
			require.Equal(t, seen, len(w.left()) == 1, name)
			require.Zero(t, held(t, holdStoreIdentity), name)
			if found != nil {
				found.ResourceVersion = ""
			}
		}
	}
}

func TestSweep_LeavesToItsControllerWhatIsBeingDeleted(t *testing.T) {
	w := newWorld(t)
	going := domainIn("elsewhere")
	going.Finalizers = []string{"test/holds"}
	require.NoError(t, w.store.Create(t.Context(), going))
	require.NoError(t, w.store.Delete(t.Context(), going))
	found, err := w.find(t.Context())
	require.NoError(t, err)
	require.Contains(t, found, "elsewhere")
	require.Empty(t, found["elsewhere"])
}

func TestSweep_WatchesNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.Start(ctx) }()
		synctest.Wait()
		w.informers.(informers).Update(aliveTeam("1"), terminatingTeam())
		require.True(t, w.namespaces.saw("team"))
		cancel()
		require.NoError(t, <-ended)
	})
}

func TestSweep_RunsOnlyWhileLeading(t *testing.T) {
	w := newWorld(t)
	require.True(t, w.NeedLeaderElection())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, w.Start(ctx))
}
