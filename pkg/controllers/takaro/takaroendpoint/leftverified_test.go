// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/anchor"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// leave adds a domain that the Domain arena left, and returns a function that reads its reference.
func (s *site) leave(t *testing.T) (reference func() string) {
	t.Helper()
	planted, _, err := s.Takaro.PlantDomain(standin.Seed{ExternalReference: "roadstead:" + installation + ":1"})
	require.NoError(t, err)
	domain := s.stored("arena")
	resolved, err := s.keeper.Endpoints.Resolve(t.Context(), domain)
	require.NoError(t, err)
	require.NoError(t, s.keeper.Leave(t.Context(), domain, resolved, []string{planted.ID}))
	return func() string {
		found, _ := s.Takaro.Domain(planted.ID)
		return found.ExternalReference
	}
}

func TestLook_MarksWhatWasLeft(t *testing.T) {
	s := newSite(t)
	s.at()
	reference := s.leave(t)
	s.look(0)
	assert.Equal(t, "retained:"+installation+":1", reference())
	assert.Empty(t, s.endpoint().Status.Left)
}

func TestLook_MarksNothingUnlessVerified(t *testing.T) {
	s := copied(t)
	require.False(t, s.at().Verified)
	reference := s.leave(t)
	s.look(anchor.Period)
	assert.Equal(t, "roadstead:"+installation+":1", reference())
	assert.Len(t, s.endpoint().Status.Left, 1)
}
