// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCPUTimeRisesWithWork(t *testing.T) {
	before, err := cpuTime(os.Getpid())
	require.NoError(t, err)
	sum := 0
	for begin := time.Now(); ; sum++ {
		now, err := cpuTime(os.Getpid())
		require.NoError(t, err)
		if now >= before+50*time.Millisecond {
			break
		}
		require.Less(t, time.Since(begin), time.Minute)
	}
	_, err = cpuTime(-1)
	require.Error(t, err)
}

func TestResidentBytesRiseWithMemory(t *testing.T) {
	before, err := residentBytes(os.Getpid())
	require.NoError(t, err)
	const size = 64 << 20
	block := make([]byte, size)
	for i := 0; i < size; i += os.Getpagesize() {
		block[i] = 1
	}
	after, err := residentBytes(os.Getpid())
	require.NoError(t, err)
	assert.Greater(t, after, before+size/2)
	runtime.KeepAlive(block)
}

func TestMachineFacts(t *testing.T) {
	facts, err := machineFacts(t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, runtime.NumCPU(), facts.Cores)
	assert.NotEmpty(t, facts.Kernel)
	assert.NotEmpty(t, facts.CPU)
	assert.Positive(t, facts.MemoryGiB)
	assert.Positive(t, facts.SyncMillis)
}

func TestLiveBytes(t *testing.T) {
	size, err := liveBytes([]byte("heap profile: 1: 2\n# runtime.MemStats\n# Alloc = 7\n# HeapAlloc = 123456\n"))
	require.NoError(t, err)
	require.InDelta(t, 123456, size, 0)
	_, err = liveBytes([]byte("<html>"))
	require.ErrorContains(t, err, "HeapAlloc")
}
