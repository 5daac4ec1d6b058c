// SPDX-License-Identifier: Apache-2.0

package unique_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck_WritesNothing(t *testing.T) {
	s := newStore(t)
	require.NoError(t, s.Check(t.Context(), domain("a", "x"), false))
	require.NoError(t, s.Check(t.Context(), domain("a", ""), false))
	require.Zero(t, s.records())
	s.created(domain("a", "x"))
	requireTaken(t, s.Check(t.Context(), domain("b", "x"), false), referenceField, "x", "a")
	again := domain("a", "x")
	again.UID = "another"
	require.NoError(t, s.Check(t.Context(), again, false), "AlreadyExists is the better answer")

	two := domain("b", "y")
	set("one", "x")(two)
	require.NoError(t, s.Check(t.Context(), two, true), "values of other fields are others")
	_, err := s.update(t.Context(), "a", set("one"))
	require.NoError(t, err)
	requireTaken(t, s.Check(t.Context(), two, true), conditionsField, "one", "a")
	require.EqualValues(t, 2, s.records())
}
