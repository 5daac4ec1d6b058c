// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	testingclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// aliveTeam and terminatingTeam return states of the namespace "team".
func aliveTeam(uid types.UID) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", UID: uid}}
}

func terminatingTeam() *corev1.Namespace {
	team := aliveTeam("1")
	team.DeletionTimestamp = ptr.To(metav1.NewTime(begin))
	return team
}

func TestNamespaces_Ended(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(*Namespaces)
		ended   bool
	}{
		"nothing was seen": {func(*Namespaces) {}, false},
		"only alive":       {func(n *Namespaces) { n.OnAdd(aliveTeam("1"), true) }, false},
		"terminating":      {func(n *Namespaces) { n.OnUpdate(aliveTeam("1"), terminatingTeam()) }, true},
		"terminating from the start": {func(n *Namespaces) {
			n.OnAdd(terminatingTeam(), true)
			n.OnDelete(terminatingTeam())
		}, true},
		"only its deletion": {func(n *Namespaces) { n.OnDelete(terminatingTeam()) }, true},
		"etcd was rolled back, by a watch event": {func(n *Namespaces) {
			n.OnAdd(aliveTeam("1"), true)
			n.OnDelete(aliveTeam("1"))
		}, false},
		"etcd was rolled back, by a list": {func(n *Namespaces) {
			n.OnAdd(aliveTeam("1"), true)
			n.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "team", Obj: aliveTeam("1")})
		}, false},
		"its end was missed, its deletion not": {func(n *Namespaces) {
			n.OnUpdate(aliveTeam("1"), terminatingTeam())
			n.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "team", Obj: terminatingTeam()})
		}, true},
		"another one of its name was rolled back": {func(n *Namespaces) {
			n.OnDelete(terminatingTeam())
			n.OnAdd(aliveTeam("2"), false)
			n.OnDelete(aliveTeam("2"))
		}, false},
		"rolled back to before its deletion, and further": {func(n *Namespaces) {
			n.OnDelete(terminatingTeam())
			n.OnAdd(aliveTeam("1"), false)
			n.OnDelete(aliveTeam("1"))
		}, false},
		"released": {func(n *Namespaces) { n.release([]string{"team"}) }, true},
		"released, and created again": {func(n *Namespaces) {
			n.release([]string{"team"})
			n.OnAdd(aliveTeam("2"), false)
		}, false},
		"an unreadable event": {func(n *Namespaces) { n.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "team"}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			n := NewNamespaces(fake.NewClientBuilder().Build(), testingclock.NewFakeClock(begin))
			c.happens(n)
			ended, err := n.Ended(t.Context(), "team")
			require.NoError(t, err)
			require.Equal(t, c.ended, ended)
		})
	}
}

func TestNamespaces_EndedNeedsAnAnswerOfTheAPIServer(t *testing.T) {
	resource := corev1.Resource("namespaces")
	for name, c := range map[string]struct {
		err    error
		ended  bool
		failed bool
	}{
		"exists":           {},
		"404":              {apierrors.NewNotFound(resource, "team"), true, false},
		"404 of a proxy":   {apierrors.NewGenericServerResponse(http.StatusNotFound, "GET", resource, "team", "<html>", 0, true), false, true},
		"403":              {apierrors.NewForbidden(resource, "team", nil), false, true},
		"503":              {apierrors.NewServiceUnavailable("starting"), false, true},
		"expired":          {apierrors.NewResourceExpired("old"), false, true},
		"canceled request": {context.Canceled, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			base := fake.NewClientBuilder().WithObjects(aliveTeam("1")).Build()
			live := interceptor.NewClient(base, interceptor.Funcs{Get: func(
				ctx context.Context, store client.WithWatch, key client.ObjectKey, object client.Object, _ ...client.GetOption,
			) error {
				if c.err != nil {
					return c.err
				}
				return store.Get(ctx, key, object)
			}})
			n := NewNamespaces(live, testingclock.NewFakeClock(begin))
			n.See(terminatingTeam())
			ended, err := n.Ended(t.Context(), "team")
			require.Equal(t, c.ended, ended)
			require.Equal(t, c.failed, err != nil)
			require.Equal(t, name != "exists", n.saw("team"), "the answer voids what was seen before")
		})
	}
}

func TestNamespaces_Forget(t *testing.T) {
	clock := testingclock.NewFakeClock(begin)
	n := NewNamespaces(fake.NewClientBuilder().Build(), clock)
	n.OnDelete(terminatingTeam())
	clock.Step(memory)
	n.forget(nil)
	require.True(t, n.saw("team"))
	clock.Step(time.Second)
	n.forget(map[string][]*metav1.PartialObjectMetadata{"team": nil})
	require.True(t, n.saw("team"), "it holds objects")
	n.forget(nil)
	require.False(t, n.saw("team"))
	n.See(terminatingTeam())
	clock.Step(24 * time.Hour)
	n.forget(nil)
	require.True(t, n.saw("team"), "it still exists")
}
