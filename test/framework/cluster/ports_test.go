// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReservedBlocksDoNotOverlap(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	seen := map[int]bool{}
	for range 40 {
		block, err := reservePorts()
		require.NoError(t, err)
		defer block.release()
		require.False(t, seen[block.first], "block %d was given twice", block.first)
		require.Zero(t, (block.first-firstPort)%blockSize)
		require.LessOrEqual(t, block.first+blockSize-1, lastPort)
		seen[block.first] = true
	}
}

func TestBlockIsHeldUntilReleased(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	block, err := reservePorts()
	require.NoError(t, err)
	locks := t.TempDir()
	mine, err := tryBlock(locks, block.first)
	require.NoError(t, err)
	require.NotNil(t, mine)
	theirs, err := tryBlock(locks, block.first)
	require.NoError(t, err)
	require.Nil(t, theirs, "a held block was given again")
	mine.release()
	mine.release()
	again, err := tryBlock(locks, block.first)
	require.NoError(t, err)
	require.NotNil(t, again)
	again.release()
	block.release()
}

func TestBlockWithABoundPortIsPassedOver(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	block, err := reservePorts()
	require.NoError(t, err)
	defer block.release()
	listener, err := net.Listen("tcp", block.address(3))
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	locks := t.TempDir()
	theirs, err := tryBlock(locks, block.first)
	require.NoError(t, err)
	require.Nil(t, theirs)
}

func TestNoLockFolderIsAnError(t *testing.T) {
	t.Setenv("TMPDIR", "/dev/null")
	_, err := reservePorts()
	require.Error(t, err)
}

func TestSparePortsAreGivenOnce(t *testing.T) {
	block, err := reservePorts()
	require.NoError(t, err)
	defer block.release()
	c := &Cluster{ports: block}
	seen := map[string]bool{block.port(portKwok): true}
	for range blockSize - portSpare {
		port, err := c.ReservePort()
		require.NoError(t, err)
		require.False(t, seen[port])
		seen[port] = true
	}
	_, err = c.ReservePort()
	require.ErrorContains(t, err, "are taken")
}
