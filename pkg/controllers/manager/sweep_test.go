// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func sweepCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return sweepWithSleep(t, nil, args...)
}

func sweepWithSleep(t *testing.T, sleep func(context.Context, time.Duration) error, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	command := (&sweepOptions{Options: NewOptions(), sleep: sleep}).command()
	command.SetOut(&out)
	command.SetArgs(args)
	err := command.ExecuteContext(t.Context())
	return out.String(), err
}

func TestSweepIsACommand(t *testing.T) {
	found, _, err := NewCommand().Find([]string{"takaro-sweep"})
	require.NoError(t, err)
	require.Equal(t, "takaro-sweep", found.Name())
}

func TestSweepOfALostCluster(t *testing.T) {
	server := standin.New(standin.Options{})
	require.NoError(t, server.Start())
	t.Cleanup(server.Close)
	for _, reference := range []string{"roadstead:lost:1", "typed", "roadstead-anchor:lost"} {
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
	require.ErrorContains(t, err, "--delete requires --count=<n>")
	_, err = sweepCommand(t, append(args, "--delete", "--count=2")...)
	require.ErrorContains(t, err, "nothing was deleted")
	require.Len(t, server.Domains(), 2)
	waited := time.Duration(0)
	_, err = sweepWithSleep(t, func(_ context.Context, d time.Duration) error {
		waited += d
		return nil
	}, append(args, "--delete", "--count=1")...)
	require.NoError(t, err)
	require.Equal(t, 30*time.Second, waited)
	require.Empty(t, server.Anchors())
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
	_, err = sweepCommand(t, "--endpoint", "ftp://127.0.0.1", "--installation", "x", "--cluster-is-lost")
	require.ErrorContains(t, err, "--endpoint: ")
}
