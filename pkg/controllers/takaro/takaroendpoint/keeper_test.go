// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

func TestAt_CreatesEndpoint(t *testing.T) {
	w := newWorld(t)
	w.Add(domainNamed("arena"))
	w.keeper.Lead()
	state := w.at("arena")
	assert.Equal(t, installation, state.Installation)
	assert.True(t, state.Verified)
	assert.Equal(t, "Takaro at "+address, state.Name)
	assert.Equal(t, w.Clock.Now(), state.LeaderSince)
	e := w.Object()
	require.NotNil(t, e, "in the namespace of the credentials")
	assert.Equal(t, address, e.Spec.URL)
	assert.Equal(t, []string{Finalizer}, e.Finalizers)
	assert.Equal(t, "True NothingHeld", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, "True NothingHeld", w.Condition(v1alpha1.ConditionReady))
	version := e.ResourceVersion
	w.at("arena")
	assert.Equal(t, version, w.Object().ResourceVersion, "nothing is written again")
}

func TestAt_InstallationCredentials(t *testing.T) {
	w := newWorld(t)
	domain := domainNamed("arena")
	domain.Spec.CredentialsSecretRef = nil
	_, err := w.keeper.At(t.Context(), domain, resolved("token"))
	require.NoError(t, err)
	assert.Nil(t, w.Object())
	at := types.NamespacedName{Namespace: controllertest.System, Name: nameOf(address)}
	assert.NoError(t, w.Store.Get(t.Context(), at, &v1alpha1.TakaroEndpoint{}))
}

func TestAt_StoredInstallationWins(t *testing.T) {
	w := newWorld(t)
	w.addDomains(1)
	w.restart()
	w.keeper.Installation = "renamed"
	assert.Equal(t, installation, w.at("d00").Installation)
}

// TestAt_OldCache covers a cache that does not contain yet what another call created.
func TestAt_OldCache(t *testing.T) {
	w := newWorld(t)
	w.addDomains(1)
	w.restart()
	w.keeper.Client = interceptor.NewClient(w.Store, interceptor.Funcs{
		Get: func(ctx context.Context, api client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if _, ok := object.(*v1alpha1.TakaroEndpoint); ok {
				return apierrors.NewNotFound(v1alpha1.Resource("takaroendpoints"), key.Name)
			}
			return api.Get(ctx, key, object, options...)
		},
	})
	w.keeper.Installation = "renamed"
	assert.Equal(t, installation, w.at("d00").Installation)
}

// TestAt_InstallationIsStoredFirst covers an API server that rejects the status: a reference of an
// installation that is not stored must not be used.
func TestAt_InstallationIsStoredFirst(t *testing.T) {
	w := newWorld(t)
	w.Add(domainNamed("arena"))
	refused := errors.New("refused")
	w.keeper.Client = interceptor.NewClient(w.Store, interceptor.Funcs{
		SubResourceUpdate: func(context.Context, client.Client, string, client.Object, ...client.SubResourceUpdateOption) error {
			return refused
		},
	})
	_, err := w.keeper.At(t.Context(), w.domain("arena"), resolved("token"))
	require.ErrorIs(t, err, refused)
	w.keeper.Client = w.Store
	assert.Equal(t, installation, w.at("arena").Installation)
}

// TestAt_EndingNamespace covers a Domain that is deleted with its namespace, where nothing can be
// created. The deletion must not wait for that.
func TestAt_EndingNamespace(t *testing.T) {
	terminating := apierrors.NewForbidden(v1alpha1.Resource("takaroendpoints"), "x", errors.New("the namespace is being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for name, answer := range map[string]error{
		"terminating": terminating,
		"absent":      apierrors.NewNotFound(corev1.Resource("namespaces"), "team"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.keeper.Client = interceptor.NewClient(w.Store, interceptor.Funcs{
				Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return answer },
			})
			state, err := w.keeper.At(t.Context(), domainNamed("arena"), resolved("token"))
			require.NoError(t, err)
			assert.Equal(t, installation, state.Installation)
			assert.NoError(t, w.keeper.Leave(t.Context(), domainNamed("arena"), resolved("token"), []string{"id"}), "nothing can be recorded there")
		})
	}
}

func TestAt_AnotherURLUnderTheName(t *testing.T) {
	w := newWorld(t)
	w.addDomains(1)
	e := w.Object()
	e.Spec.URL = "https://other.example"
	require.NoError(t, w.Store.Update(t.Context(), e))
	_, err := w.keeper.At(t.Context(), w.domain("d00"), resolved("token"))
	assert.ErrorContains(t, err, "is for https://other.example, not for "+address)
}

func TestLeave(t *testing.T) {
	w := newWorld(t)
	w.addDomains(1)
	for range 2 {
		require.NoError(t, w.keeper.Leave(t.Context(), w.domain("d00"), resolved("token"), []string{"one", "roadstead:unit:uid"}))
	}
	left := w.Object().Status.Left
	require.Len(t, left, 2)
	assert.Equal(t, "one", left[0].ID)
	assert.Equal(t, "team/d00", left[0].Object)
	assert.Equal(t, "roadstead:unit:uid", left[1].ID)
	assert.Empty(t, w.Events())

	ids := make([]string, maxLeft)
	for i := range ids {
		ids[i] = fmt.Sprintf("id-%d", i)
	}
	require.NoError(t, w.keeper.Leave(t.Context(), w.domain("d00"), resolved("token"), ids))
	left = w.Object().Status.Left
	require.Len(t, left, maxLeft)
	assert.Equal(t, "id-0", left[0].ID, "the oldest are dropped")
	assert.Equal(t, map[string]int{eventLeftForgotten: 1}, w.Told())
}

// TestKeeper_WithoutClient covers tests of other controllers: nothing is stored, and missing
// domains are still held.
func TestKeeper_WithoutClient(t *testing.T) {
	w := newWorld(t)
	w.addDomains(4)
	w.keeper = New(Config{Clock: w.Clock, Namespace: controllertest.System, Installation: installation})
	for name := range w.owned() {
		assert.Equal(t, installation, w.at(name.Name).Installation)
	}
	w.loseMany(4)
	w.compareTwice()
	assert.NotEmpty(t, w.at("d00").VanishedHold)
}
