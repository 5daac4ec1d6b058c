// SPDX-License-Identifier: Apache-2.0

package world

import (
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// A client and a fault may use the same reference at the same time.
func TestStrangerReplacesAnotherStranger(t *testing.T) {
	w := &World{Takaro: takaro.New(takaro.Options{}), Failing: takaro.New(takaro.Options{})}
	first, err := w.PlantStranger("typed")
	require.NoError(t, err)
	second, err := w.PlantStranger("typed")
	require.NoError(t, err)
	require.NotEqual(t, first.ID, second.ID)
	require.Len(t, w.Outside().Planted, 1)
	require.Empty(t, check.ForeignTouched(w.Outside()))
	w.RemovePlanted(first.ID) // the end of the first fault
	require.Len(t, w.Outside().Planted, 1)
}
