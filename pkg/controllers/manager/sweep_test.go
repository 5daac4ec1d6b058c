// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func sweepCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	command := NewCommand()
	command.SetOut(&out)
	command.SetArgs(append([]string{"takaro-sweep"}, args...))
	err := command.ExecuteContext(t.Context())
	return out.String(), err
}

func TestSweepOfALostCluster(t *testing.T) {
	server := standin.New(standin.Options{})
	require.NoError(t, server.Start())
	t.Cleanup(server.Close)
	for _, reference := range []string{"roadstead:lost:1", "typed"} {
		_, _, err := server.PlantDomain(standin.Seed{ExternalReference: reference})
		require.NoError(t, err)
	}
	t.Setenv(envTakaroToken, server.AdminToken())
	args := []string{"--endpoint", server.URL(), "--installation", "lost", "--cluster-is-lost", "--allow-loopback"}
	out, err := sweepCommand(t, args...)
	require.NoError(t, err)
	require.Contains(t, out, "roadstead:lost:1")
	require.Len(t, server.Domains(), 2, "it only lists")
	_, err = sweepCommand(t, append(args, "--delete")...)
	require.NoError(t, err)
	require.Len(t, server.Domains(), 1)
	require.Equal(t, "typed", server.Domains()[0].ExternalReference)
}

func TestSweepAsksForWhatItNeeds(t *testing.T) {
	t.Setenv(envTakaroToken, "")
	_, err := sweepCommand(t, "--endpoint", "http://127.0.0.1:1", "--installation", "x")
	require.ErrorContains(t, err, envTakaroToken)
	t.Setenv(envTakaroToken, "token")
	_, err = sweepCommand(t, "--endpoint", "http://127.0.0.1:1", "--installation", "x", "--cluster-is-lost", "--kubeconfig", "k")
	require.ErrorContains(t, err, "exclude each other")
}
