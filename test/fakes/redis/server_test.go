// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServer(t *testing.T) {
	s, err := Start(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	admin := s.Client()
	t.Cleanup(func() { _ = admin.Close() })
	require.NoError(t, admin.Set(t.Context(), "theirs", "1", 0).Err())
	require.NoError(t, admin.Do(t.Context(), "ACL", "SETUSER", "alice", "reset", "on", ">secret", "~mine:*", "+@all").Err())
	alice, mallory := s.ClientAs("alice", "secret"), s.ClientAs("alice", "guess")
	t.Cleanup(func() { _, _ = alice.Close(), mallory.Close() })
	require.NoError(t, alice.Set(t.Context(), "mine:a", "1", 0).Err())
	require.ErrorContains(t, alice.Get(t.Context(), "theirs").Err(), "NOPERM")
	require.ErrorContains(t, mallory.Ping(t.Context()).Err(), "WRONGPASS")

	dir := s.dir
	require.NoError(t, s.Stop())
	require.ErrorContains(t, admin.Ping(t.Context()).Err(), "refused")
	require.NoError(t, s.Restart(t.Context()))
	require.Equal(t, "1", admin.Get(t.Context(), "mine:a").Val())
	require.NoError(t, s.Close())
	require.NoDirExists(t, dir)
}

func TestMissingProgramIsOneLine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := exec.LookPath("redis-server")
	require.Error(t, err)
	_, err = Start(t.Context())
	require.EqualError(t, err, "redis-server is missing: apt-get install -y redis-server")
}
