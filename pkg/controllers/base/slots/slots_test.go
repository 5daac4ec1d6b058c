// SPDX-License-Identifier: Apache-2.0

package slots

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func requestFor(namespace string, n int) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: fmt.Sprint(n)}}
}

// Tenants and the installation together never occupy all workers.
func TestSomeWorkersNeedNoSlot(t *testing.T) {
	assert.Equal(t, 4, Workers-limits.Class[ownClass]-limits.Class[installationClass])
}

// woken collects the objects that were woken.
type woken struct {
	mu       sync.Mutex
	requests []reconcile.Request
}

func (w *woken) add(requests []reconcile.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, requests...)
}

func (w *woken) take() []reconcile.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.requests
	w.requests = nil
	return taken
}

func newSlots() (*Slots[string], *woken) {
	w := &woken{}
	return New[string](clock.RealClock{}, w.add), w
}

// fill occupies the four slots of a namespace.
func fill(t *testing.T, s *Slots[string], key string) (turns []*Turn[string]) {
	t.Helper()
	for n := range 4 {
		turn := s.Begin(requestFor("team", n))
		require.True(t, turn.TryEnter(key, true))
		turns = append(turns, turn)
	}
	return turns
}

func TestTurnOfAParkedObject(t *testing.T) {
	s, woken := newSlots()
	holding := fill(t, s, "key")
	refused := s.Begin(requestFor("team", 4))
	assert.False(t, refused.TryEnter("key", true))
	assert.False(t, refused.TryEnter("key", true))
	refused.End()
	holding[0].End()
	assert.Equal(t, []reconcile.Request{requestFor("team", 4)}, woken.take())
	again := s.Begin(requestFor("team", 4))
	assert.True(t, again.TryEnter("key", true))
	again.End()
	holding[0].End()
	assert.Empty(t, woken.take(), "what was given back is not given back again")
}

// A woken object may no longer need its slot, for example because its Domain was deleted.
func TestReservationThatIsNotUsedIsForTheNext(t *testing.T) {
	s, woken := newSlots()
	holding := fill(t, s, "key")
	for n := range 2 {
		turn := s.Begin(requestFor("team", 10+n))
		require.False(t, turn.TryEnter("key", true))
		turn.End()
	}
	holding[0].End()
	require.Equal(t, []reconcile.Request{requestFor("team", 10)}, woken.take())
	s.Begin(requestFor("team", 10)).End()
	assert.Equal(t, []reconcile.Request{requestFor("team", 11)}, woken.take())
}

// The work queue may be so long that a woken object is not reconciled in time.
func TestReservationsExpireByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, woken := newSlots()
		holding := fill(t, s, "key")
		for n := range 3 {
			turn := s.Begin(requestFor("team", 10+n))
			require.False(t, turn.TryEnter("key", true))
			turn.End()
		}
		holding[0].End()
		require.Equal(t, []reconcile.Request{requestFor("team", 10)}, woken.take())
		for n := 1; n < 3; n++ {
			time.Sleep(limits.Hold + time.Second)
			synctest.Wait()
			assert.Equal(t, []reconcile.Request{requestFor("team", 10+n)}, woken.take())
		}
	})
}

// With many workers and reconciliations of all kinds, every object gets a turn, and all slots are
// available at the end.
func TestConcurrentTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := make(chan reconcile.Request, 10_000)
		s := New[string](clock.RealClock{}, func(requests []reconcile.Request) {
			for _, request := range requests {
				queue <- request
			}
		})
		var pending sync.WaitGroup
		for n := range 500 {
			pending.Add(1)
			queue <- requestFor(fmt.Sprint("team-", n%7), n)
		}
		for range Workers {
			go func() {
				for request := range queue {
					turn := s.Begin(request)
					if turn.TryEnter(fmt.Sprint("key-", len(request.Name)%3), len(request.Name)%2 == 0) {
						time.Sleep(time.Second)
						pending.Done()
					}
					turn.End()
				}
			}()
		}
		pending.Wait()
		synctest.Wait()
		close(queue)
		assert.Zero(t, s.slots.Next())
		fill(t, s, "key-0")
	})
}
