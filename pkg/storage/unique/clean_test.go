// SPDX-License-Identifier: Apache-2.0

package unique_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/storage/unique"
)

func TestClean_DeletesWhatNobodyHolds(t *testing.T) {
	s := newStore(t)
	s.created(domain("a", "x"))
	_, err := s.update(t.Context(), "a", set("one", "two"))
	require.NoError(t, err)
	_, err = s.update(t.Context(), "a", set("one"))
	require.NoError(t, err)
	for i := range 600 { // more than a page
		s.plant(s.reference(fmt.Sprint("gone", i)), unique.Claim{Owner: owner("gone")})
	}
	removed, err := s.Clean(t.Context())
	require.NoError(t, err)
	require.Equal(t, 601, removed)
	require.EqualValues(t, 2, s.records())
	_, held := s.record(s.reference("x"))
	require.NotZero(t, held)
	_, held = s.record(s.condition("one"))
	require.NotZero(t, held)
}

func TestDelete_RemovesTheClaims(t *testing.T) {
	s := newStore(t)
	s.created(domain("a", "x"))
	_, err := s.update(t.Context(), "a", set("one", "two"))
	require.NoError(t, err)
	s.created(domain("b", "y"))
	s.plant(s.condition("two"), unique.Claim{Owner: owner("b")})
	s.delete("a")
	require.EqualValues(t, 2, s.records(), "of b")
	s.created(domain("c", "x"))

	s.plant(s.reference("y"), "{")
	s.delete("b")
	require.Nil(t, s.read("b"), "a damaged record keeps no object")
}

func TestClean_LeavesWhatItCannotRead(t *testing.T) {
	s := newStore(t)
	s.plant(s.reference("x"), "{")
	s.plant(s.reference("y"), unique.Claim{Owner: owner("gone")})
	removed, err := s.Clean(t.Context())
	require.ErrorContains(t, err, "damaged")
	require.Equal(t, 1, removed)
	require.EqualValues(t, 1, s.records())
}
