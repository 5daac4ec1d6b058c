// SPDX-License-Identifier: Apache-2.0

package takaro_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func TestGetUser(t *testing.T) {
	server := standin.New(standin.Options{})
	front := httptest.NewServer(server)
	defer front.Close()
	domain, _, err := server.PlantDomain(standin.Seed{})
	require.NoError(t, err)
	pool := takaro.NewPool(takaro.Options{Dial: netguard.Policy{AllowLoopback: true, AllowPrivate: true}})
	defer pool.Close()
	client, err := pool.Client(takaro.Endpoint{URL: front.URL, AdminToken: takaro.NewSecret(server.AdminToken())})
	require.NoError(t, err)
	input := takaro.UserInput{Name: "ann", Email: "ann@example.com", Password: takaro.NewSecret("a-password")}
	created, err := client.CreateUser(t.Context(), domain.ID, input)
	require.NoError(t, err)
	found, err := client.GetUser(t.Context(), domain.ID, created.ID)
	require.NoError(t, err)
	require.Equal(t, []string{created.ID, "ann", "ann@example.com"}, []string{found.ID, found.Name, found.Email})
	require.NoError(t, client.DeleteUser(t.Context(), domain.ID, created.ID))
	_, err = client.GetUser(t.Context(), domain.ID, created.ID)
	require.True(t, takaro.IsNotFound(err), "%v", err)
}
