// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func (w *world) plantAnchor(t *testing.T) {
	t.Helper()
	_, _, err := w.server.PlantDomain(standin.Seed{
		Name: anchor.Name("here", anchor.NewHolder()), ExternalReference: anchor.Reference("here"), State: standin.StateDisabled,
	})
	require.NoError(t, err)
}

// anchor returns what a TakaroEndpoint stores of the anchor. The store keeps times with a
// resolution of one second.
func (w *world) anchor(t *testing.T) *v1alpha1.Anchor {
	t.Helper()
	found, err := w.client.FindDomainByReference(t.Context(), anchor.Reference("here"))
	require.NoError(t, err)
	return &v1alpha1.Anchor{ID: found.ID, CreatedAt: metav1.NewTime(found.CreatedAt.Truncate(time.Second))}
}

// removeAnchor removes the anchor as another client with the admin token could do.
func (w *world) removeAnchor() {
	for _, one := range w.server.Anchors() {
		w.server.RemoveDomain(one.ID)
	}
}

// renew renews the anchor as the leader of a running installation does every ten seconds.
func (w *world) renew(t *testing.T) {
	t.Helper()
	before := w.server.Anchors()[0].UpdatedAt
	require.Eventually(t, func() bool {
		_, err := w.client.UpdateDomain(t.Context(), w.server.Anchors()[0].ID, takaro.DomainUpdate{})
		return err == nil && w.server.Anchors()[0].UpdatedAt != before
	}, 10*time.Second, time.Millisecond)
}

func TestSweep_NeedsTheRecordedAnchor(t *testing.T) {
	cases := map[string]struct {
		change func(t *testing.T, w *world, stored *v1alpha1.Anchor)
		says   []string
	}{
		"not recorded yet": {
			func(_ *testing.T, w *world, _ *v1alpha1.Anchor) { w.recorded.endpoints[0].Status.Anchor = nil },
			[]string{"TakaroEndpoint roadstead-system/api has no status.anchor", "Start the controller"},
		},
		"held by another installation": {
			func(_ *testing.T, _ *world, stored *v1alpha1.Anchor) { stored.HeldBy = "89efcdab" },
			[]string{"another installation (holder 89efcdab)",
				"TakaroEndpoint roadstead-system/api", "Stop the other installation, or run the command"},
		},
		"held by another installation, says another TakaroEndpoint": {
			func(_ *testing.T, w *world, stored *v1alpha1.Anchor) {
				second := endpointOf("here", address)
				second.Namespace, second.Status.Anchor = "team", stored.DeepCopy()
				second.Status.Anchor.HeldBy = "89efcdab"
				w.recorded.endpoints = append([]v1alpha1.TakaroEndpoint{*second}, w.recorded.endpoints...)
			},
			[]string{"TakaroEndpoint team/api waits for a decision"},
		},
		"another id": {
			func(_ *testing.T, _ *world, stored *v1alpha1.Anchor) { stored.ID = "other" },
			[]string{"is not the one that the cluster knows: its anchor is domain ",
				"has recorded domain other", "If the database was replaced on purpose"},
		},
		"the same id, created later": {
			func(_ *testing.T, _ *world, stored *v1alpha1.Anchor) {
				stored.CreatedAt = metav1.NewTime(stored.CreatedAt.Add(-time.Second))
			},
			[]string{"is not the one that the cluster knows"},
		},
		"none in Takaro": {
			func(_ *testing.T, w *world, _ *v1alpha1.Anchor) { w.removeAnchor() },
			[]string{`has no anchor of installation "here"`, "another database answers", "Check --endpoint"},
		},
		"none in Takaro, none recorded": {
			func(_ *testing.T, w *world, _ *v1alpha1.Anchor) {
				w.removeAnchor()
				w.recorded.endpoints[0].Status.Anchor = nil
			},
			[]string{"has no status.anchor"},
		},
		"that of another installation": {
			func(t *testing.T, w *world, _ *v1alpha1.Anchor) {
				_, err := w.server.ChangeReference(w.server.Anchors()[0].ID, anchor.Reference("there"))
				require.NoError(t, err)
			},
			[]string{`has no anchor of installation "here"`},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.change(t, w, w.recorded.endpoints[0].Status.Anchor)
			for _, change := range []func(*Sweep){func(*Sweep) {}, func(s *Sweep) { s.Delete, s.Count = true, 1 }} {
				err := w.sweep(t, change)
				for _, says := range c.says {
					assert.ErrorContains(t, err, says)
				}
				assert.Empty(t, w.out.String(), "a list invites to delete")
			}
			assert.Len(t, w.server.Domains(), 3)
		})
	}
}

func TestSweep_OneTakaroEndpointIsEnough(t *testing.T) {
	w := newWorld(t)
	fresh, stale := endpointOf("here", address), endpointOf("here", address)
	stale.Status.Anchor = &v1alpha1.Anchor{ID: "former"}
	w.recorded.endpoints = append([]v1alpha1.TakaroEndpoint{*fresh, *stale}, w.recorded.endpoints...)
	require.NoError(t, w.sweep(t, func(*Sweep) {}))
}

// between is a Takaro that calls a function after each deletion.
type between struct {
	Takaro
	then func()
}

func (b between) DeleteDomain(ctx context.Context, id string, hard bool) error {
	defer b.then()
	return b.Takaro.DeleteDomain(ctx, id, hard)
}

// TestSweep_ChecksBeforeEachDeletion: a database can be replaced while domains are being deleted.
func TestSweep_ChecksBeforeEachDeletion(t *testing.T) {
	w := newWorld(t)
	w.recorded.uids = nil
	err := w.sweep(t, func(s *Sweep) {
		s.Delete, s.Count, s.Takaro = true, 2, between{w.client, w.removeAnchor}
	})
	require.ErrorContains(t, err, `has no anchor of installation "here"`)
	assert.ErrorContains(t, err, "1 of 2 domains were deleted; to delete the others, run the command again with --count=1")
	assert.Len(t, w.server.Domains(), 2)
}
