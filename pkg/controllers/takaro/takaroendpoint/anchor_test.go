// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

func TestAnchor_MadeAtFirstUse(t *testing.T) {
	s := newSite(t)
	s.use()
	made := s.anchor()
	assert.Equal(t, anchor.Reference(installation), made.ExternalReference)
	assert.Equal(t, anchor.Name(installation, s.keeper.holder), made.Name)
	assert.Equal(t, "DISABLED", made.State)
	recorded := s.endpoint().Status.Anchor
	require.NotNil(t, recorded)
	assert.Equal(t, made.ID, recorded.ID)
	assert.Equal(t, v1alpha1.ReasonNothingHeld, s.ready().Reason)
	assert.Equal(t, 1, s.woken, "the Domain goes on")
}

func TestAnchor_IsRenewedByOneRequestAPeriod(t *testing.T) {
	s := newSite(t)
	s.use()
	s.look(anchor.SecondLook)
	s.Takaro.ResetCounts()
	version := s.endpoint().ResourceVersion
	moved := map[string]bool{}
	for range 6 {
		s.look(anchor.Period)
		moved[s.anchor().UpdatedAt] = true
	}
	assert.Equal(t, 6, s.Takaro.Count("", ""))
	assert.Equal(t, 6, s.Takaro.Count(http.MethodPut, "/domain/*"))
	assert.Len(t, moved, 6)
	assert.Equal(t, version, s.endpoint().ResourceVersion, "nothing is stored")
	assert.Equal(t, 1, s.woken)
}

func TestAnchor_ReleasedIsTakenAtOnce(t *testing.T) {
	s := newSite(t)
	s.use()
	s.keeper.giveUp(t.Context())
	assert.Equal(t, anchor.Name(installation, anchor.Released), s.anchor().Name)
	assert.False(t, s.at().Verified, "it changes nothing any more")
	s.look(anchor.Period)
	assert.Equal(t, anchor.Name(installation, anchor.Released), s.anchor().Name, "nor takes it back")

	s.replace()
	s.look(0)
	require.False(t, s.at().Verified, "another one may have taken it as well")
	s.look(anchor.SecondLook)
	require.True(t, s.at().Verified)
}

func TestAnchor_OfAKilledProcessStandsStill(t *testing.T) {
	s := newSite(t)
	s.use()
	reserve := s.start()
	s.lookAs(reserve)
	s.Clock.Step(20 * time.Second)
	s.lookAs(reserve)
	s.process = reserve
	s.keeper.Lead()
	s.look(9 * time.Second)
	require.False(t, s.at().Verified)
	s.look(time.Second)
	s.look(anchor.SecondLook)
	require.True(t, s.at().Verified, "what it saw in reserve counts")
}

func TestAnchor_ReserveWritesNothing(t *testing.T) {
	s := newSite(t)
	s.use()
	s.keeper.giveUp(t.Context())
	s.process = s.start()
	s.Takaro.ResetCounts()
	for range 5 {
		s.look(anchor.Period)
	}
	assert.Equal(t, 5, s.Takaro.Count("", ""), "at most 7 requests a minute")
	assert.Equal(t, 5, s.Takaro.Count(http.MethodGet, "/domain/*"))
}

func TestGuard_RefusesWithoutARecentAnswer(t *testing.T) {
	s := newSite(t)
	s.use()
	state := s.at()
	guarded := state.Guard(s.client())
	id := s.own("arena")
	_, err := guarded.UpdateDomain(t.Context(), id, takaro.DomainUpdate{})
	require.NoError(t, err)
	for name, lose := range map[string]func(){
		"fenced":        func() { s.fenced = errors.New("the Lease was lost") },
		"belief is old": func() { s.Clock.Step(anchor.Belief) },
	} {
		s.fenced = nil
		s.look(anchor.Period)
		s.look(anchor.StandStill)
		s.look(anchor.SecondLook)
		require.True(t, s.at().Verified, name)
		lose()
		s.Takaro.ResetCounts()
		err = guarded.DeleteDomain(t.Context(), id, true)
		require.ErrorContains(t, err, "is being verified", name)
		require.Zero(t, s.Takaro.Count("", ""), "nothing was sent: %s", name)
		_, err = guarded.GetDomain(t.Context(), id)
		require.NoError(t, err, "it may read: %s", name)
	}
}

func TestConfirm_FindsAnExchangedDatabase(t *testing.T) {
	s := newSite(t)
	s.use()
	s.own("arena")
	state := s.at()
	s.Clock.Step(time.Second)
	require.NoError(t, state.Confirm(t.Context()))
	s.Takaro.EmptyDatabase(false)
	require.True(t, s.at().Verified, "nobody has looked since")
	s.Clock.Step(time.Second)
	require.Error(t, state.Confirm(t.Context()))
	assert.Equal(t, ownership.ReasonIdentityChanged, s.at().Reason)
}

func TestAnchor_RefusedToken(t *testing.T) {
	s := newSite(t)
	former := s.Takaro.AdminToken()
	s.Takaro.SetAdminToken("another one, of the same length or so")
	s.at()
	s.look(0)
	state := s.at()
	require.ErrorContains(t, state.Failed, "403")
	s.Takaro.ResetCounts()
	for range 10 {
		s.look(time.Second)
		s.at()
	}
	assert.Zero(t, s.Takaro.Count("", ""), "the token is not tried for every Domain")
	s.Takaro.SetAdminToken(former)
	s.look(refusedWait)
	require.True(t, s.at().Verified)
	require.NoError(t, s.at().Failed)
}

func TestAnchor_OutageIsToldOnceWhenBeliefEnds(t *testing.T) {
	s := newSite(t)
	s.use()
	through := s.Through
	s.Through = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	s.look(anchor.Period)
	require.True(t, s.at().Verified, "the last answer is recent")
	for range 6 {
		s.look(failedWait)
	}
	state := s.at()
	require.False(t, state.Verified)
	require.Error(t, state.Failed)
	assert.Equal(t, 2, s.woken, "once verified, once unavailable")
	s.Through = through
	s.look(failedWait)
	require.True(t, s.at().Verified, "nobody else took it: no stand-still is awaited")
}

// An object that was rejected during an outage waits until it is woken, no matter how short the
// outage is.
func TestAnchor_ShortOutageWakesWhoWaits(t *testing.T) {
	s := newSite(t)
	s.use()
	through := s.Through
	s.Through = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	s.look(anchor.Period)
	s.look(failedWait)
	require.True(t, s.at().Verified, "the last answer is recent")
	require.Equal(t, 1, s.woken)
	s.Through = through
	s.look(failedWait)
	assert.Equal(t, 2, s.woken)
	s.look(anchor.Period)
	assert.Equal(t, 2, s.woken, "nobody waits any more")
}
