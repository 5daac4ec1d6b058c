// SPDX-License-Identifier: Apache-2.0

package takaro_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// The client limits each search of a Takaro whose responses do not end, both with the credentials
// of the installation and with those of a tenant.
func TestSearchesOfATakaroThatDoesNotEnd(t *testing.T) {
	for _, own := range []bool{false, true} {
		server := standin.New(standin.Options{})
		front := httptest.NewServer(server)
		defer front.Close()
		domain, _, err := server.PlantDomain(standin.Seed{ExternalReference: "ref"})
		require.NoError(t, err)
		pool := takaro.NewPool(takaro.Options{Dial: netguard.Policy{AllowLoopback: true}})
		defer pool.Close()
		client, err := pool.Client(takaro.Endpoint{URL: front.URL, AdminToken: takaro.NewSecret(server.AdminToken()), Own: own})
		require.NoError(t, err)
		_, err = client.HasRootUser(t.Context(), domain.ID)
		require.NoError(t, err)
		searches := map[string]func(context.Context) error{
			"domains": func(ctx context.Context) error {
				_, err := client.SearchDomains(ctx, takaro.DomainSearch{})
				return err
			},
			"reference": func(ctx context.Context) error { _, err := client.FindDomainByReference(ctx, "ref"); return err },
			"users":     func(ctx context.Context) error { _, err := client.SearchUsers(ctx, domain.ID); return err },
			"roles":     func(ctx context.Context) error { _, err := client.SearchRoles(ctx, domain.ID); return err },
		}
		for name, search := range searches {
			fault, err := server.InjectFault(standin.Fault{Kind: standin.FaultEndless})
			require.NoError(t, err)
			err = search(t.Context())
			require.True(t, takaro.IsSearchTooLarge(err), "%s: %v", name, err)
			server.RemoveFault(fault)
		}
	}
}

// A Takaro that sends one byte per second counts as one that does not answer.
func TestSearchOfATakaroThatDrips(t *testing.T) {
	server := standin.New(standin.Options{})
	front := httptest.NewServer(server)
	defer front.Close()
	pool := takaro.NewPool(takaro.Options{Dial: netguard.Policy{AllowLoopback: true}, Timeout: 100 * time.Millisecond,
		RetryBase: time.Millisecond})
	defer pool.Close()
	client, err := pool.Client(takaro.Endpoint{URL: front.URL, AdminToken: takaro.NewSecret(server.AdminToken())})
	require.NoError(t, err)
	_, err = server.InjectFault(standin.Fault{Kind: standin.FaultSlowBody})
	require.NoError(t, err)
	_, err = client.SearchDomains(t.Context(), takaro.DomainSearch{})
	require.True(t, takaro.IsUnclear(err), "%v", err)
	require.False(t, takaro.IsSearchTooLarge(err), "%v", err)
}
