// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func TestOrphans(t *testing.T) {
	reference := func(text string) *string { return &text }
	domains := []takaro.Domain{
		{ID: "lives", ExternalReference: reference("roadstead:here:1")},
		{ID: "orphan", ExternalReference: reference("roadstead:here:2")},
		{ID: "elsewhere", ExternalReference: reference("roadstead:there:2")},
		{ID: "longer-name", ExternalReference: reference("roadstead:here-too:2")},
		{ID: "typed", ExternalReference: reference("2")},
		{ID: "retained", ExternalReference: reference("retained:here:2")},
		{ID: "no-uid", ExternalReference: reference("roadstead:here:")},
		{ID: "anchor", ExternalReference: reference(anchor.Reference("here"))},
		{ID: "recorded", ExternalReference: reference("roadstead:here:3")},
		{ID: "left", ExternalReference: reference("roadstead:here:4")},
		{ID: "none"},
	}
	recorded := &Recorded{
		uids: map[string]bool{"1": true}, ids: map[string]bool{"recorded": true}, references: map[string]bool{"roadstead:here:4": true},
	}
	var ids []string
	for _, orphan := range Orphans(domains, "here", recorded) {
		ids = append(ids, orphan.ID)
	}
	require.Equal(t, []string{"orphan"}, ids)
	require.Len(t, Orphans(domains, "here", nil), 4, "a lost cluster has recorded nothing")
}

// world is a Takaro with the anchor of an installation, a domain in use, an orphan, and another
// installation's domain.
type world struct {
	server   *standin.Server
	client   *takaro.Client
	recorded *Recorded
	out      bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{server: standin.New(standin.Options{})}
	require.NoError(t, w.server.Start())
	t.Cleanup(w.server.Close)
	for _, reference := range []string{"roadstead:here:1", "roadstead:here:2", "roadstead:there:2"} {
		_, _, err := w.server.PlantDomain(standin.Seed{ExternalReference: reference})
		require.NoError(t, err)
	}
	pool := takaro.NewPool(takaro.Options{Dial: netguard.Policy{AllowLoopback: true}})
	t.Cleanup(pool.Close)
	var err error
	w.client, err = pool.Client(takaro.Endpoint{URL: w.server.URL(), AdminToken: takaro.NewSecret(w.server.AdminToken())})
	require.NoError(t, err)
	w.plantAnchor(t)
	e := endpointOf("here", address)
	e.Status.Anchor = w.anchor(t)
	w.recorded = &Recorded{installation: "here", address: address, uids: map[string]bool{"1": true}, endpoints: []v1alpha1.TakaroEndpoint{*e}}
	return w
}

func (w *world) sweep(t *testing.T, change func(*Sweep)) error {
	t.Helper()
	w.out.Reset()
	s := Sweep{Takaro: w.client, Installation: "here", Out: &w.out, Cluster: func(context.Context) (*Recorded, error) {
		return w.recorded, nil
	}}
	change(&s)
	return s.Run(t.Context())
}

func TestSweep_ListsAndDeletes(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.sweep(t, func(*Sweep) {}))
	assert.Len(t, w.server.Domains(), 3)
	assert.Contains(t, w.out.String(), "roadstead:here:2")
	assert.NotContains(t, w.out.String(), "roadstead:here:1")
	assert.Contains(t, w.out.String(), "--delete --count=1")

	require.NoError(t, w.sweep(t, func(s *Sweep) { s.Delete, s.Count = true, 1 }))
	assert.Len(t, w.server.Domains(), 2)
	assert.Contains(t, w.out.String(), "1 domains were deleted")

	require.NoError(t, w.sweep(t, func(s *Sweep) { s.Delete = true }), "0 are expected, and none is found")
	assert.Contains(t, w.out.String(), "belongs to a Domain or was left on purpose")
}

func TestSweep_AnotherCount(t *testing.T) {
	w := newWorld(t)
	for _, count := range []int{0, 2, 3} {
		err := w.sweep(t, func(s *Sweep) { s.Delete, s.Count = true, count })
		assert.ErrorContains(t, err, "nothing was deleted; check the list, then set --count=1")
	}
	assert.Len(t, w.server.Domains(), 3)
	assert.Contains(t, w.out.String(), "roadstead:here:2")
}

func TestSweep_DeletionFails(t *testing.T) {
	w := newWorld(t)
	_, err := w.server.InjectFault(standin.Fault{Kind: standin.FaultTooMany, Method: "DELETE"})
	require.NoError(t, err)
	err = w.sweep(t, func(s *Sweep) { s.Delete, s.Count = true, 1 })
	assert.ErrorContains(t, err, "0 of 1 domains were deleted")
	assert.Len(t, w.server.Domains(), 3)
}

func TestSweep_ClusterDoesNotAnswer(t *testing.T) {
	w := newWorld(t)
	err := w.sweep(t, func(s *Sweep) {
		s.Delete, s.Count = true, 1
		s.Cluster = func(context.Context) (*Recorded, error) { return nil, errors.New("no answer") }
	})
	require.ErrorContains(t, err, "no answer")
	assert.Len(t, w.server.Domains(), 3)
}
