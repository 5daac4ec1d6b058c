// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// While the endpoint is busy with others, a new Domain has a first status, and gets its turn when
// one of them is done.
func TestNewDomainIsQueued(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(queue.ShutDown)
	require.NoError(t, controller.Queue.Attach(t.Context(), queue))
	leave := w.Occupy(controller.Slots)
	w.Once(controller)
	for _, condition := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionSynced} {
		assert.Equal(t, "Unknown Queued", w.Condition(condition))
	}
	assert.Equal(t, w.Object().Generation, w.Object().Status.ObservedGeneration)
	assert.Equal(t, v1alpha1.DomainPending, w.Object().Status.Phase)
	version := w.Object().ResourceVersion
	assert.Positive(t, w.Once(controller).RequeueAfter, "a safety net")
	assert.Equal(t, version, w.Object().ResourceVersion, "it is written once")
	assert.Zero(t, w.Takaro.Count("", ""))
	assert.Zero(t, queue.Len())

	leave()
	require.Equal(t, 1, queue.Len(), "its turn")
	request, _ := queue.Get()
	assert.Equal(t, w.Request(), request)
	w.Settle(controller)
	w.requireReady()
	leave()
	assert.Equal(t, 0, queue.Len(), "nobody waits any more")
}

// A Domain that is Ready stays Ready while it waits for its turn. Its deletion waits too, even with
// Retain, because the domain has to be marked.
func TestReadyDomainIsQueued(t *testing.T) {
	w := newWorld(t)
	w.addDomain(func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain })
	controller := w.controller(w.Store)
	w.Settle(controller)
	leave := w.Occupy(controller.Slots)
	w.Once(controller)
	w.requireReady()
	w.Delete()
	w.Once(controller)
	require.NotNil(t, w.Object())
	assert.Equal(t, v1alpha1.DomainDeleting, w.Object().Status.Phase)
	leave()
	w.Settle(controller)
	assert.Nil(t, w.Object())
	require.Len(t, w.Takaro.Domains(), 1)
	assert.Contains(t, w.Takaro.Domains()[0].ExternalReference, "retained:")
}
