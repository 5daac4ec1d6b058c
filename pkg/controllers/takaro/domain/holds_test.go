// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

// counted counts the objects that are added.
type counted struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]
	added int
}

func (c *counted) AddAfter(reconcile.Request, time.Duration) { c.added++ }

func TestHoldChanged(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	domain := w.Object()
	at := func(namespace, url string, of v1alpha1.HoldType, held int32) *v1alpha1.TakaroEndpoint {
		return &v1alpha1.TakaroEndpoint{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "e"},
			Spec:   v1alpha1.TakaroEndpointSpec{URL: url},
			Status: v1alpha1.TakaroEndpointStatus{Holds: []v1alpha1.Hold{{Type: of, Held: held}}}}
	}
	own, url := controllertest.System, domain.Spec.TakaroAPIURL
	if domain.Spec.CredentialsSecretRef != nil {
		own = controllertest.Namespace
	}
	const vanished, deletion, restarts = v1alpha1.HoldVanished, v1alpha1.HoldDeletion, v1alpha1.HoldRestarts
	changed := func(before, after *v1alpha1.TakaroEndpoint) int {
		queue := &counted{}
		controller.holdChanged(controllertest.System).Update(t.Context(), event.UpdateEvent{ObjectOld: before, ObjectNew: after}, queue)
		return queue.added
	}
	for name, c := range map[string]struct {
		before, after *v1alpha1.TakaroEndpoint
		want          int
	}{
		"begins":                 {at(own, url, vanished, 0), at(own, url, vanished, 4), 1},
		"is as it was":           {at(own, url, vanished, 4), at(own, url, vanished, 4), 0},
		"of another URL":         {at(own, "https://other.test", vanished, 0), at(own, "https://other.test", vanished, 4), 0},
		"of another team":        {at("other", url, vanished, 0), at("other", url, vanished, 4), 0},
		"deletions of others":    {at(own, url, deletion, 0), at(own, url, deletion, 4), 0},
		"restarts of MockServer": {at(own, url, restarts, 0), at(own, url, restarts, 4), 0},
	} {
		assert.Equal(t, c.want, changed(c.before, c.after), name)
	}
	domain.Finalizers = []string{Finalizer}
	require.NoError(t, w.Store.Update(t.Context(), domain))
	w.Delete()
	assert.Equal(t, 1, changed(at(own, url, deletion, 0), at(own, url, deletion, 4)), "its deletion")
	assert.Zero(t, changed(at(own, url, restarts, 0), at(own, url, restarts, 4)))
}
