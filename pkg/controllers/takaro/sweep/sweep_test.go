// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/netguard"
	"roadstead.dev/roadstead/pkg/takaro"
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
		{ID: "no-uid", ExternalReference: reference("roadstead:here:")},
		{ID: "none"},
	}
	var ids []string
	for _, orphan := range Orphans(domains, "here", map[types.UID]bool{"1": true}) {
		ids = append(ids, orphan.ID)
	}
	require.Equal(t, []string{"orphan"}, ids)
}

// swept plants a living domain, an orphan and a stranger's, and sweeps.
func swept(t *testing.T, remove bool, living Living) (left int, out string, err error) {
	t.Helper()
	server := standin.New(standin.Options{})
	require.NoError(t, server.Start())
	t.Cleanup(server.Close)
	for _, reference := range []string{"roadstead:here:1", "roadstead:here:2", "roadstead:there:2"} {
		_, _, err := server.PlantDomain(standin.Seed{ExternalReference: reference})
		require.NoError(t, err)
	}
	pool := takaro.NewPool(takaro.Options{Dial: netguard.Policy{AllowLoopback: true}})
	t.Cleanup(pool.Close)
	client, err := pool.Client(takaro.Endpoint{URL: server.URL(), AdminToken: takaro.NewSecret(server.AdminToken())})
	require.NoError(t, err)
	var text bytes.Buffer
	err = Sweep{Takaro: client, Installation: "here", Living: living, Delete: remove, Out: &text}.Run(t.Context())
	return len(server.Domains()), text.String(), err
}

func one(context.Context) (map[types.UID]bool, error) { return map[types.UID]bool{"1": true}, nil }

func TestSweepListsAndRemoves(t *testing.T) {
	left, out, err := swept(t, false, one)
	require.NoError(t, err)
	require.Equal(t, 3, left)
	require.Contains(t, out, "roadstead:here:2")
	require.NotContains(t, out, "roadstead:here:1")
	require.Contains(t, out, "--delete")

	left, out, err = swept(t, true, one)
	require.NoError(t, err)
	require.Equal(t, 2, left)
	require.Contains(t, out, "1 domains were removed")
}

func TestNothingIsRemovedWhenTheClusterDoesNotAnswer(t *testing.T) {
	left, _, err := swept(t, true, func(context.Context) (map[types.UID]bool, error) { return nil, errors.New("no answer") })
	require.ErrorContains(t, err, "no answer")
	require.Equal(t, 3, left)
}
