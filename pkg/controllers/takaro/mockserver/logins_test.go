// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// After a restart of Redis without its users, the MockServers are woken and create them again.
func TestLostLoginWakesItsMockServer(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(queue.ShutDown)
	compare := &watch{reconciler: w.r}
	require.NoError(t, compare.Queue.Attach(t.Context(), queue))
	compare.loginLoop().Once(t.Context())
	assert.Zero(t, queue.Len())
	clearRedis(t)
	compare.loginLoop().Once(t.Context())
	require.Equal(t, 1, queue.Len())
	request, _ := queue.Get()
	assert.Equal(t, w.Request(), request)
	w.settle(w.play(0))
	compare.loginLoop().Once(t.Context())
	assert.Zero(t, queue.Len(), "the user exists again")
}
