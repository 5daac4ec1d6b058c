// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// lost runs a sweep of a lost cluster that deletes 2 domains. during runs while it waits.
func (w *world) lost(t *testing.T, during func()) error {
	t.Helper()
	waits := 0
	err := w.sweep(t, func(s *Sweep) {
		s.Cluster, s.Delete, s.Count = nil, true, 2
		s.Sleep = func(_ context.Context, d time.Duration) error {
			waits++
			assert.Equal(t, anchor.StandStill, d)
			during()
			return nil
		}
	})
	assert.Equal(t, 1, waits)
	return err
}

func TestSweep_ClusterIsLost(t *testing.T) {
	w := newWorld(t)
	id := w.server.Anchors()[0].ID
	require.NoError(t, w.sweep(t, func(s *Sweep) { s.Cluster = nil }), "it lists, and does not wait")
	assert.Contains(t, w.out.String(), "roadstead:here:1")
	assert.Contains(t, w.out.String(), "--delete --count=2", "the anchor does not count")
	assert.Contains(t, w.out.String(), `The anchor of installation "here" is domain `+id)
	assert.Len(t, w.server.Anchors(), 1)

	require.NoError(t, w.lost(t, func() { assert.Len(t, w.server.Domains(), 3) }))
	require.Len(t, w.server.Domains(), 1)
	assert.Equal(t, "roadstead:there:2", w.server.Domains()[0].ExternalReference)
	assert.Empty(t, w.server.Anchors())
	assert.Contains(t, w.out.String(), "The anchor, domain "+id+", was deleted.")
}

func TestSweep_ClusterIsNotLost(t *testing.T) {
	cases := map[string]struct {
		before, during func(t *testing.T, w *world)
		says           string
	}{
		"it renews": {nil, func(t *testing.T, w *world) { w.renew(t) }, "it renews the anchor"},
		"it takes the holder": {nil, func(t *testing.T, w *world) {
			name := anchor.Name("here", "0123abcd")
			_, err := w.client.UpdateDomain(t.Context(), w.server.Anchors()[0].ID, takaro.DomainUpdate{Name: &name})
			require.NoError(t, err)
		}, "0123abcd"},
		"it creates a missing anchor": {
			func(_ *testing.T, w *world) { w.removeAnchor() }, func(t *testing.T, w *world) { w.plantAnchor(t) }, "it created the anchor",
		},
		"the anchor is replaced": {nil, func(t *testing.T, w *world) {
			w.removeAnchor()
			w.plantAnchor(t)
		}, "a living installation"},
		"somebody deletes the anchor": {nil, func(_ *testing.T, w *world) { w.removeAnchor() }, "was deleted a moment ago"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if c.before != nil {
				c.before(t, w)
			}
			err := w.lost(t, func() { c.during(t, w) })
			require.ErrorContains(t, err, "nothing was deleted")
			assert.ErrorContains(t, err, c.says)
			assert.Len(t, w.server.Domains(), 3)
		})
	}
}

// TestSweep_LostClusterReturns covers an installation that starts while its domains are being
// deleted: the other domains and the anchor are kept.
func TestSweep_LostClusterReturns(t *testing.T) {
	for after, left := range map[int]int{1: 2, 2: 1} {
		w := newWorld(t)
		deletions := 0
		err := w.sweep(t, func(s *Sweep) {
			s.Cluster, s.Delete, s.Count = nil, true, 2
			s.Sleep = func(context.Context, time.Duration) error { return nil }
			s.Takaro = between{w.client, func() {
				if deletions++; deletions == after {
					w.renew(t)
				}
			}}
		})
		require.ErrorContains(t, err, "it renews the anchor")
		assert.Len(t, w.server.Domains(), left)
		assert.Len(t, w.server.Anchors(), 1)
	}
}

// TestSweep_LostClusterOfAnEarlierRelease covers domains of a release that created no anchor.
func TestSweep_LostClusterOfAnEarlierRelease(t *testing.T) {
	w := newWorld(t)
	w.removeAnchor()
	require.NoError(t, w.lost(t, func() {}))
	assert.Len(t, w.server.Domains(), 1)
	assert.NotContains(t, w.out.String(), "anchor, domain")

	require.NoError(t, w.sweep(t, func(s *Sweep) { s.Cluster, s.Delete = nil, true }), "nothing to wait for")
	assert.Contains(t, w.out.String(), `No domain has a reference that installation "here" generated.`)
}

func TestSweep_OnlyTheAnchorIsLeft(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.lost(t, func() {}))
	w.plantAnchor(t)
	require.NoError(t, w.sweep(t, func(s *Sweep) { s.Cluster = nil }))
	assert.Contains(t, w.out.String(), "--delete --count=0")
	require.NoError(t, w.sweep(t, func(s *Sweep) {
		s.Cluster, s.Delete = nil, true
		s.Sleep = func(context.Context, time.Duration) error { return nil }
	}))
	assert.Empty(t, w.server.Anchors())
}

func TestSweep_WaitIsInterrupted(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	out := cancelOn{cancel}
	err := Sweep{Takaro: w.client, Installation: "here", Delete: true, Count: 2, Out: out}.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "nothing was deleted")
	assert.Len(t, w.server.Domains(), 3)
}

// cancelOn cancels the context when the sweep reports that it waits.
type cancelOn struct{ cancel func() }

func (c cancelOn) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("\nWaiting ")) {
		c.cancel()
	}
	return len(p), nil
}
