// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

func TestRestore_WithoutStore(t *testing.T) {
	w := newWorld(t, t.Context())
	require.NoError(t, w.keeper().Restore(w.ctx), "nothing is known")
	w.put("a b")
	k := w.started()
	require.NoError(t, k.Restore(w.ctx))
	assert.Empty(t, w.events(), "nothing was missing")
	k.spec.Required = func(context.Context, [][]byte, [][]byte) (Required, error) {
		panic("the store of a process that exits is not read")
	}
	w.dependents = unknown
	w.put("c b")
	require.NoError(t, k.Restore(w.ctx))
	assert.Equal(t, "c b a", w.secret())
	w.delete()
	fail := 1
	w.client.PrependReactor("create", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		fail--
		return fail >= 0, nil, errors.New("the cluster is unavailable")
	})
	require.NoError(t, k.Restore(w.ctx))
	assert.Equal(t, "a b", w.secret())

	w.delete()
	w.client.PrependReactor("create", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("the cluster is unavailable")
	})
	ctx, cancel := context.WithTimeout(w.ctx, 2*restoreRetry)
	defer cancel()
	require.ErrorContains(t, k.Restore(ctx), "the cluster is unavailable")
}

func TestRun_FollowsChanges(t *testing.T) {
	w := newWorld(t, t.Context())
	w.put("a")
	k := w.started()
	changes := make(chan string, 10)
	go k.Run(w.ctx, func(_ context.Context, values [][]byte) error {
		changes <- words(values)
		return nil
	})
	w.put("a b")
	assert.Equal(t, "a b", <-changes)
	w.delete()
	require.Eventually(t, func() bool { return w.secret() == "a b" }, patience, tick)
	w.put("b a")
	assert.Equal(t, "b a", <-changes, "the restored values were those in use")
	w.put("c")
	require.Eventually(t, func() bool { return w.secret() == "c b a" }, patience, tick)
	assert.Equal(t, "c b a", <-changes)
}

func TestRun_RetriesWhileRefused(t *testing.T) {
	w := newWorld(t, t.Context())
	w.put("a")
	k := w.started()
	require.NoError(t, w.record.SetFingerprints(w.ctx, secretName, prints("a", "b")))
	changes := make(chan string, 10)
	go k.Run(w.ctx, func(_ context.Context, values [][]byte) error {
		changes <- words(values)
		return nil
	})
	require.Eventually(t, func() bool { return isPublished(t, prints("b")[0], stateMissing) }, patience, tick)
	w.put("a c b")
	assert.Equal(t, "a c b", <-changes)
	assert.False(t, isPublished(t, prints("b")[0], stateMissing))
	require.NoError(t, w.record.SetFingerprints(w.ctx, secretName, prints("a")))
	k.Refresh()
	k.Refresh()
	require.Eventually(t, func() bool { return len(w.record.Fingerprints(secretName)) == 3 }, patience, tick)
}

func TestRun_RepeatsValuesThatWereNotAccepted(t *testing.T) {
	w := newWorld(t, t.Context())
	w.put("a")
	k := w.started()
	w.put("b a")
	changes, errs := make(chan string, 10), make(chan error, 2)
	errs <- errors.New("the store is unavailable")
	errs <- nil
	go k.Run(w.ctx, func(_ context.Context, values [][]byte) error {
		changes <- words(values)
		return <-errs
	})
	assert.Equal(t, "b a", <-changes)
	assert.Equal(t, "b a", <-changes)
}
