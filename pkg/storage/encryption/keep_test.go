// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/util/keeper"
)

// object is the key of a stored object.
const object = "takaro.roadstead.dev/users/ns/name"

func requireRefused(t *testing.T, err error, reason string) {
	t.Helper()
	var refused *keeper.RefusedError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, reason, refused.Reason)
	assert.Contains(t, refused.Message, "system/"+SecretName)
	assert.Contains(t, refused.Message, "accept-store --id=new")
}

func TestSeeds_FirstStart(t *testing.T) {
	i := install(t, "__store/epoch", "__identity")
	first := i.running()
	require.Len(t, i.seeds(), 1)
	assert.Len(t, i.seeds()[0], SeedSize)
	i.requireRecorded(i.seeds()...)
	second := i.running()
	i.requireReadable(second, i.encrypt(first))
}

// A replica runs, the Secret is deleted, another replica starts. No replica may lose the seed.
func TestSeeds_DeletedThenReplicaStarts(t *testing.T) {
	i := install(t)
	running := i.running()
	stored, seeds := i.encrypt(running), i.seeds()
	i.store(stored)

	i.deleteSecret()
	started := i.replica(false)
	require.Eventually(t, func() bool { return started.Prepare(t.Context()) == nil }, patience, tick)
	i.awaitSeeds(seeds...)
	i.requireReadable(running, stored)
	i.requireReadable(started, stored)
	i.requireReadable(running, i.encrypt(started))
	require.Eventually(t, func() bool {
		events, err := i.client.EventsV1().Events("system").List(t.Context(), metav1.ListOptions{})
		return err == nil && len(events.Items) == 1 && events.Items[0].Reason == keeper.EventRestored
	}, patience, tick)
}

// The same without a running replica: the only copy of the seed is in a backup.
func TestSeeds_DeletedWhileNoReplicaRuns(t *testing.T) {
	i := install(t, object)
	i.setSeeds(seed(1))
	require.NoError(t, i.replica(false).Prepare(t.Context()))
	i.deleteSecret()
	started := i.replica(false)
	requireRefused(t, started.Prepare(t.Context()), keeper.ReasonMissing)
	assert.Empty(t, i.seeds(), "no seed is generated")
	_, err := started.transformers.TransformerForResource(users).TransformToStorage(t.Context(), plain, where)
	require.ErrorIs(t, err, ErrNotReady)
	i.setSeeds(seed(1))
	require.NoError(t, started.Prepare(t.Context()))
}

func TestSeeds_OverwrittenWithAnotherValidSeed(t *testing.T) {
	i := install(t)
	running := i.running()
	stored, before := i.encrypt(running), i.seeds()[0]
	i.store(stored)

	i.setSeeds(seed(9))
	started := i.replica(false)
	require.Eventually(t, func() bool { return started.Prepare(t.Context()) == nil }, patience, tick)
	i.awaitSeeds(seed(9), before)
	<-running.changed
	for _, r := range []*replica{running, started} {
		i.requireReadable(r, stored)
		i.requireReadable(r, i.encrypt(running))
		i.requireReadable(r, i.encrypt(started))
	}
}

func TestSeeds_OverwrittenWhileNoReplicaRuns(t *testing.T) {
	for name, forget := range map[string]bool{"recorded": false, "by a version that recorded nothing": true} {
		t.Run(name, func(t *testing.T) {
			i := install(t, object)
			i.setSeeds(seed(1))
			require.NoError(t, i.replica(false).Prepare(t.Context()))
			i.setMark(seed(1))
			if forget {
				i.record.list = nil
			}
			i.setSeeds(seed(9))
			requireRefused(t, i.replica(false).Prepare(t.Context()), keeper.ReasonReplaced)
			i.setSeeds(seed(9), seed(1))
			require.NoError(t, i.replica(false).Prepare(t.Context()))
		})
	}
}

// A server that exits because of its store leaves the seeds in the Secret.
func TestSeeds_RestoredBeforeExit(t *testing.T) {
	i := install(t, object)
	i.setSeeds(seed(1))
	exiting := i.replica(false)
	require.NoError(t, exiting.Prepare(t.Context()))
	i.deleteSecret()
	i.kv.breakWith(errors.New("another store"))
	require.NoError(t, exiting.Restore(t.Context()))
	assert.Equal(t, [][]byte{seed(1)}, i.seeds())
}

func TestSeeds_Rotation(t *testing.T) {
	i := install(t, object)
	i.setSeeds(seed(1))
	running := i.running()
	stored := i.encrypt(running)
	i.setMark(seed(1))

	i.setSeeds(seed(1), seed(2))
	<-running.changed
	i.setSeeds(seed(2), seed(1))
	<-running.changed
	marked, err := readMark(t.Context(), i.kv, prefix)
	require.NoError(t, err)
	assert.Empty(t, marked, "the store is no longer encrypted with one seed")
	i.requireRecorded(seed(1), seed(2))

	i.setSeeds(seed(2))
	i.awaitSeeds(seed(2), seed(1))

	i.setMark(seed(2))
	running.Refresh()
	i.setSeeds(seed(2))
	require.Eventually(t, func() bool { return len(i.record.Fingerprints(SecretName)) == 1 }, patience, tick)
	i.requireRecorded(seed(2))
	assert.Equal(t, [][]byte{seed(2)}, i.seeds())
	i.requireReadable(running, stored)
	require.NoError(t, i.replica(false).Prepare(t.Context()))
}

// A seed must not write before the mark of the one before is removed: its values would not be counted.
func TestSeeds_NewSeedWaitsForTheStore(t *testing.T) {
	i := install(t, object)
	i.setSeeds(seed(1))
	running := i.replica(false)
	require.NoError(t, running.Prepare(t.Context()))
	i.setMark(seed(1))
	i.setSeeds(seed(2), seed(1))
	i.kv.breakWith(errors.New("etcd is unavailable"))
	require.ErrorContains(t, running.Prepare(t.Context()), "etcd is unavailable")
	assert.Equal(t, writtenBy(seed(1)), running.transformers.writes())
	i.kv.breakWith(nil)
	require.NoError(t, running.Prepare(t.Context()))
	assert.Equal(t, writtenBy(seed(2)), running.transformers.writes())
}

func TestSeeds_NothingIsProvedWithoutTheStore(t *testing.T) {
	i := install(t)
	i.kv.breakWith(errors.New("the store is not bound"))
	require.ErrorContains(t, i.replica(false).Prepare(t.Context()), "the store is not bound")
	assert.Empty(t, i.seeds())
}

func TestSeeds_Provider(t *testing.T) {
	i := install(t, object)
	require.NoError(t, i.replica(true).Prepare(t.Context()), "no seed is needed")
	assert.Empty(t, i.seeds(), "none is generated")

	i.setSeeds(seed(1))
	before := i.replica(false)
	require.NoError(t, before.Prepare(t.Context()))
	moved := i.replica(true)
	require.NoError(t, moved.Prepare(t.Context()))
	i.requireReadable(moved, i.encrypt(before))

	i.deleteSecret()
	requireRefused(t, i.replica(true).Prepare(t.Context()), keeper.ReasonMissing)
	require.NoError(t, setMark(t.Context(), i.kv, prefix, byProvider))
	require.NoError(t, i.replica(true).Prepare(t.Context()), "the provider has encrypted everything")
}
