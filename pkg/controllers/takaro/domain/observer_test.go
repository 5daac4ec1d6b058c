// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// watched contains an observer of a Takaro with some domains.
type watched struct {
	*world
	observer *observer
	client   *takaro.Client
	key      endpoint.Key
}

func newWatched(t *testing.T, references ...string) *watched {
	t.Helper()
	w := newWorld(t)
	for _, reference := range references {
		_, _, err := w.Takaro.PlantDomain(seed(reference))
		require.NoError(t, err)
	}
	e := takaro.Endpoint{URL: w.Front.URL, AdminToken: takaro.NewSecret(w.Takaro.AdminToken())}
	client, err := w.controller(w.Store).Pool.Client(e)
	require.NoError(t, err)
	return &watched{world: w, observer: newObserver(w.Clock), client: client, key: endpoint.KeyOf(e)}
}

func (w *watched) look(id string) *takaro.Domain {
	w.T.Helper()
	list, err := w.observer.list(w.T.Context(), w.key, w.client)
	require.NoError(w.T, err)
	record, found := w.observer.find(list, id)
	if !found {
		return nil
	}
	return &record
}

func (w *watched) lists() int { return w.Takaro.Count(http.MethodPost, "/domain/search") }

func TestOneListServesAll(t *testing.T) {
	w := newWatched(t, "one", "two", "three")
	var all sync.WaitGroup
	for _, domain := range w.Takaro.Domains() {
		for range 5 {
			all.Go(func() { assert.Equal(t, domain.ID, w.look(domain.ID).ID) })
		}
	}
	all.Wait()
	assert.LessOrEqual(t, w.lists(), 2, "concurrent readers share a list")
	assert.Equal(t, w.lists(), w.Takaro.Count("", ""), "nothing else is asked")
	before := w.lists()
	w.Clock.Step(snapshotLife - time.Second)
	w.look(w.Takaro.Domains()[0].ID)
	assert.Equal(t, before, w.lists())
	w.Clock.Step(time.Second)
	w.look(w.Takaro.Domains()[0].ID)
	assert.Equal(t, before+1, w.lists(), "an old list is not believed")
}

func TestOwnWritesCountAgainstAListThatIsBeingRead(t *testing.T) {
	w := newWatched(t, "one", "two", "old")
	domains := w.Takaro.Domains()
	changed, removed := domains[0], domains[1]
	w.look(changed.ID)
	w.observer.put(w.key, &takaro.Domain{ID: domains[2].ID, Name: "an earlier write"})
	w.Clock.Step(time.Second)
	// While the response of the list is in transit, one domain is changed and one removed.
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		w.Takaro.ServeHTTP(out, in)
		w.Clock.Step(time.Second)
		w.observer.put(w.key, &takaro.Domain{ID: changed.ID, Name: "renamed"})
		w.observer.remove(w.key, removed.ID)
	}
	list, err := w.observer.refresh(t.Context(), w.key, w.client)
	require.NoError(t, err)
	record, ok := w.observer.find(list, changed.ID)
	assert.True(t, ok)
	assert.Equal(t, "renamed", record.Name)
	_, ok = w.observer.find(list, removed.ID)
	assert.False(t, ok)
	record, _ = w.observer.find(list, domains[2].ID)
	assert.Equal(t, "planted", record.Name, "a list that was begun after a write is newer")
	// The next list is newer than both writes.
	w.Through = w.Takaro.ServeHTTP
	w.Clock.Step(time.Second)
	list, err = w.observer.refresh(t.Context(), w.key, w.client)
	require.NoError(t, err)
	record, _ = w.observer.find(list, changed.ID)
	assert.Equal(t, "planted", record.Name)
}

func TestRefusedTokenIsNotTriedForEveryDomain(t *testing.T) {
	w := newWatched(t, "one")
	id := w.Takaro.Domains()[0].ID
	fault, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTokenRevoked})
	require.NoError(t, err)
	for range 10 {
		_, err := w.observer.list(t.Context(), w.key, w.client)
		require.True(t, takaro.IsUnauthorized(err))
		require.Error(t, w.observer.refusal(w.key))
	}
	assert.Equal(t, 1, w.Takaro.Count("", ""))
	w.Takaro.RemoveFault(fault)
	w.Clock.Step(refusedLife)
	require.NoError(t, w.observer.refusal(w.key))
	assert.NotNil(t, w.look(id))
	assert.Less(t, refusedLife+problem.RefusedWait, time.Minute)
	assert.Less(t, refusedLife, problem.RefusedWait)
}

func TestFailedListIsTriedAgainSoon(t *testing.T) {
	w := newWatched(t, "one")
	id := w.Takaro.Domains()[0].ID
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTooMany, Times: 1})
	require.NoError(t, err)
	for range 3 {
		_, err = w.observer.list(t.Context(), w.key, w.client)
		require.Error(t, err)
	}
	assert.Equal(t, 1, w.lists())
	w.Clock.Step(failedLife)
	assert.NotNil(t, w.look(id))
}

func TestOpenCircuitIsNotRemembered(t *testing.T) {
	assert.Zero(t, lifeOf(&snapshot{Err: &takaro.CircuitOpenError{}}))
}

func TestRetainForgetsUnusedEndpoints(t *testing.T) {
	w := newWatched(t, "one")
	w.look(w.Takaro.Domains()[0].ID)
	w.observer.cache.Retain(map[endpoint.Key]bool{w.key: true})
	assert.NotNil(t, w.observer.cache.Last(w.key))
	w.observer.cache.Retain(map[endpoint.Key]bool{})
	assert.Nil(t, w.observer.cache.Last(w.key))
}

// Before a change that cannot be undone, a list whose pages were requested before the call is not
// sufficient.
func TestFreshListIsBegunAfterTheCall(t *testing.T) {
	w := newWatched(t, "one")
	entered, answer := make(chan struct{}), make(chan struct{})
	var first sync.Once
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		first.Do(func() { close(entered); <-answer })
		w.Takaro.ServeHTTP(out, in)
	}
	var shared sync.WaitGroup
	shared.Go(func() { _, _ = w.observer.refresh(t.Context(), w.key, w.client) })
	<-entered
	w.Clock.Step(time.Second)
	begun := w.Clock.Now()
	done := make(chan *snapshot)
	go func() {
		list, err := w.observer.fresh(t.Context(), w.key, w.client)
		assert.NoError(t, err)
		done <- list
	}()
	close(answer)
	list := <-done
	shared.Wait()
	assert.False(t, list.Taken.Before(begun))
}
