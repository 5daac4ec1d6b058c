// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// copied returns a site whose anchor another installation holds and renews.
func copied(t *testing.T) *site {
	t.Helper()
	s := newSite(t)
	s.use()
	for range 3 {
		s.hold("0000abcd")
		s.look(anchor.Period)
	}
	return s
}

func TestHeldByOther(t *testing.T) {
	s := copied(t)
	state := s.at()
	require.Equal(t, v1alpha1.ReasonHeldByOther, state.Reason)
	assert.Equal(t, state.Message, s.ready().Message)
	assert.Equal(t, "0000abcd", s.endpoint().Status.Anchor.HeldBy)
	assert.Contains(t, strings.Join(s.Events(), "\n"), "Warning HeldByOther")
	require.Error(t, state.Guard(s.client()).DeleteDomain(t.Context(), s.own("arena"), true))

	// The original restarts: its anchor is not renewed, and neither the copy nor its next process
	// takes over.
	for range 2 {
		for range 10 {
			s.look(anchor.Period)
		}
		require.Equal(t, v1alpha1.ReasonHeldByOther, s.at().Reason)
		s.replace()
		s.look(0)
	}
	require.Equal(t, "0000abcd", anchor.HolderOf(s.anchor().Name))

	s.hold("1111abcd")
	s.look(anchor.Period)
	s.accept(state.Message)
	s.look(anchor.Period)
	require.Equal(t, v1alpha1.ReasonHeldByOther, s.at().Reason, "the command was for another holder")
	assert.Empty(t, s.endpoint().Annotations)
	assert.Contains(t, strings.Join(s.Events(), "\n"), "Warning AcceptRefused")

	s.accept(s.at().Message)
	s.look(anchor.Period)
	s.look(anchor.SecondLook)
	require.True(t, s.at().Verified)
	assert.Empty(t, s.endpoint().Annotations)
	assert.Empty(t, s.endpoint().Status.Anchor.HeldBy)
	assert.Equal(t, v1alpha1.ReasonNothingHeld, s.ready().Reason)
	assert.Contains(t, strings.Join(s.Events(), "\n"), "Normal IdentityVerified")
}

func TestIdentityChanged_EndsWhenTheFormerOneReturns(t *testing.T) {
	s := newSite(t)
	s.use()
	id := s.own("arena")
	before := s.anchor()
	s.Takaro.SaveSnapshot("former")
	s.Takaro.EmptyDatabase(false)
	s.look(anchor.Period)
	require.Equal(t, v1alpha1.ReasonIdentityChanged, s.at().Reason)
	require.Equal(t, v1alpha1.ReasonIdentityChanged, s.ready().Reason)
	assert.Contains(t, s.ready().Message, "none/none")
	assert.Equal(t, before.ID, s.endpoint().Status.Anchor.ID, "the record stays")
	s.Takaro.ResetCounts()
	for range 10 {
		s.look(anchor.Period)
	}
	assert.False(t, wrote(s), "nothing is changed there")

	require.NoError(t, s.Takaro.RestoreSnapshot("former", false))
	s.look(anchor.Period)
	require.True(t, s.at().Verified)
	assert.Equal(t, v1alpha1.ReasonNothingHeld, s.ready().Reason)
	_, there := s.Takaro.Domain(id)
	assert.True(t, there)
}

func TestIdentityChanged_Accepted(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"dom0", "dom1", "dom2", "dom3"} {
		s.Add(s.domain(name))
		s.own(name)
	}
	s.use()
	s.Takaro.EmptyDatabase(false)
	s.look(anchor.Period)
	s.accept(s.at().Message)
	s.look(anchor.Period)
	require.True(t, s.at().Verified)
	e := s.endpoint()
	assert.Equal(t, s.anchor().ID, e.Status.Anchor.ID)
	assert.Len(t, holdIn(&e.Status, v1alpha1.HoldVanished).Released, 4, "they are created anew without another command")
	s.look(anchor.Period)
	assert.Empty(t, s.endpoint().Annotations)
}

func TestIdentityChanged_CloneWithAnAnchorOfItsOwn(t *testing.T) {
	s := newSite(t)
	s.own("arena")
	s.use()
	former := s.anchor()
	require.True(t, s.Takaro.RemoveDomain(former.ID))
	s.keeper.giveUp(t.Context())
	other := s.start() // an installation without the record
	e := s.endpoint()
	kept := e.Status.Anchor
	e.Status.Anchor = nil
	require.NoError(t, s.Store.Status().Update(t.Context(), e))
	other.keeper.Lead()
	s.lookAs(other)
	e = s.endpoint()
	require.NotEqual(t, former.ID, e.Status.Anchor.ID)
	e.Status.Anchor = kept
	require.NoError(t, s.Store.Status().Update(t.Context(), e))

	s.replace()
	s.look(0)
	require.Equal(t, v1alpha1.ReasonIdentityChanged, s.at().Reason)
	assert.Contains(t, s.at().Message, s.anchor().ID+"/"+other.keeper.holder)
	s.accept(s.at().Message)
	s.look(anchor.Period)
	s.look(anchor.SecondLook)
	require.True(t, s.at().Verified, "the holder is accepted with it")
	assert.Equal(t, s.keeper.holder, anchor.HolderOf(s.anchor().Name))
}

func TestRolledBack_IsTheSameTakaro(t *testing.T) {
	s := newSite(t)
	s.use()
	s.Takaro.SaveSnapshot("backup")
	s.own("arena")
	require.NoError(t, s.Takaro.RestoreSnapshot("backup", false))
	s.look(anchor.Period)
	require.True(t, s.at().Verified, "what vanished is judged by the lists")
}

func TestAnchorDeletedByHand_IsMadeAnew(t *testing.T) {
	s := newSite(t)
	s.own("arena")
	s.use()
	former := s.anchor()
	require.True(t, s.Takaro.RemoveDomain(former.ID))
	s.look(anchor.Period)
	require.True(t, s.at().Verified)
	assert.NotEqual(t, former.ID, s.anchor().ID)
	assert.Equal(t, s.anchor().ID, s.endpoint().Status.Anchor.ID)
}

func TestCompare_IgnoresListsOfAnotherTakaro(t *testing.T) {
	s := newSite(t)
	s.own("arena")
	s.use()
	s.Takaro.EmptyDatabase(false)
	s.look(anchor.Period)
	domain := s.stored("arena")
	resolved, err := s.keeper.Endpoints.Resolve(t.Context(), domain)
	require.NoError(t, err)
	for range 2 {
		owned := map[types.NamespacedName]string{{Namespace: controllertest.Namespace, Name: "arena"}: heldIDs(domain)[0]}
		s.keeper.Compare(t.Context(), resolved, s.Clock.Now(), owned, func(string) bool { return false })
		s.Clock.Step(ownership.VanishedWindow)
	}
	assert.Zero(t, s.at().GoneSince)
}

// wrote reports whether anything was changed in Takaro since the counts were reset.
func wrote(s *site) bool {
	return s.Takaro.Count(http.MethodPut, "")+s.Takaro.Count(http.MethodDelete, "")+s.Takaro.Count(http.MethodPost, "/domain") > 0
}

// TestUnstored: a namespace that is being deleted accepts no TakaroEndpoint, and its domains must
// still be deleted.
func TestUnstored(t *testing.T) {
	unstored := func(s *site) State {
		t.Helper()
		e := &v1alpha1.TakaroEndpoint{Spec: v1alpha1.TakaroEndpointSpec{URL: s.Front.URL}}
		e.Namespace, e.Name, e.Status.Installation = controllertest.Namespace, "unstored", installation
		s.keeper.lookUnstored(t.Context(), e, s.stored("arena"))
		s.keeper.mu.Lock()
		defer s.keeper.mu.Unlock()
		known, failed := s.keeper.standing(e)
		require.NoError(t, failed)
		return State{Endpoint: known}
	}
	t.Run("its domains answer", func(t *testing.T) {
		s := newSite(t)
		s.own("arena")
		require.True(t, unstored(s).Verified)
		assert.Empty(t, s.Takaro.Anchors())
		s.Clock.Step(anchor.Belief)
		s.keeper.leads = false
		require.False(t, unstored(s).Verified)
	})
	t.Run("none of them answers", func(t *testing.T) {
		s := newSite(t)
		s.own("arena")
		s.Takaro.EmptyDatabase(false)
		require.False(t, unstored(s).Verified)
	})
	t.Run("another process holds the anchor", func(t *testing.T) {
		s := newSite(t)
		s.use()
		s.own("arena")
		s.replace()
		require.False(t, unstored(s).Verified)
		s.Clock.Step(anchor.StandStill)
		require.False(t, unstored(s).Verified)
		s.Clock.Step(anchor.SecondLook)
		require.True(t, unstored(s).Verified)
	})
}

// TestOldCacheStopsNothing: the cache contains the anchor that preceded the one that was just
// recorded.
func TestOldCacheStopsNothing(t *testing.T) {
	s := newSite(t)
	s.use()
	old := s.endpoint()
	old.Status.Anchor.ID = "former"
	s.keeper.mu.Lock()
	seen := s.keeper.sightOf(client.ObjectKeyFromObject(old))
	s.keeper.mu.Unlock()
	s.Clock.Step(anchor.Period)
	s.keeper.look(t.Context(), old, seen, []*v1alpha1.Domain{s.stored("arena")})
	require.True(t, s.at().Verified)
	assert.Equal(t, v1alpha1.ReasonNothingHeld, s.ready().Reason)
}
