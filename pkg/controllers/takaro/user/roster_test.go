// SPDX-License-Identifier: Apache-2.0

package user

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/takaro"
)

// rosterWorld has a roster and a client of the domain.
func rosterWorld(t *testing.T) (*world, *roster, place, *takaro.Client) {
	t.Helper()
	w := newWorld(t)
	w.addUser()
	r := w.controller(w.Store)
	client, err := w.connectAs(r)
	require.NoError(t, err)
	return w, r.roster, place{domainID: w.domainID}, client
}

func TestManyShareOneList(t *testing.T) {
	w, r, at, client := rosterWorld(t)
	_, err := r.find(t.Context(), at, client, "x@example.com", snapshotLife) // and the token
	require.NoError(t, err)
	w.Clock.Step(snapshotLife)
	requests := w.count(func() {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				found, err := r.find(t.Context(), at, client, "x@example.com", absenceLife)
				assert.NoError(t, err)
				assert.Nil(t, found)
			})
		}
		all.Wait()
	})
	assert.LessOrEqual(t, len(requests), 2, "%v", requests)
}

func TestAgeOfLists(t *testing.T) {
	w, r, at, client := rosterWorld(t)
	lists := func(age time.Duration) int {
		return len(w.count(func() {
			_, err := r.find(t.Context(), at, client, "x@example.com", age)
			require.NoError(t, err)
		}))
	}
	assert.Equal(t, 2, lists(snapshotLife), "a token and a list")
	assert.Zero(t, lists(snapshotLife))
	assert.Equal(t, 1, lists(0), "one that is begun now")
	w.Clock.Step(absenceLife)
	assert.Zero(t, lists(snapshotLife))
	assert.Equal(t, 1, lists(absenceLife))
	w.Clock.Step(snapshotLife)
	assert.Equal(t, 1, lists(snapshotLife))
	r.retain(map[place]bool{})
	assert.Equal(t, 1, lists(snapshotLife), "what nobody uses is forgotten")
}

func TestWritesCountAgainstOlderLists(t *testing.T) {
	w, r, at, _ := rosterWorld(t)
	old := &snapshot{taken: w.Clock.Now(), users: map[string]takaro.User{"gone@example.com": {ID: "1"}}}
	w.Clock.Step(time.Second)
	r.put(at, &takaro.User{ID: "2", Email: "New@Example.com"})
	r.remove(at, "Gone@example.com")
	r.install(at, old)
	assert.Equal(t, "2", r.in(r.current(at), "NEW@example.com").ID)
	assert.Nil(t, r.in(r.current(at), "gone@example.com"))
	w.Clock.Step(time.Second)
	r.install(at, &snapshot{taken: w.Clock.Now(), users: map[string]takaro.User{}})
	assert.Nil(t, r.in(r.current(at), "new@example.com"), "a later list knows better")
}

func TestLifeOfRoleLists(t *testing.T) {
	list := &roleList{ids: map[string]string{"Admin": "1"}}
	assert.Equal(t, roleLife, list.life([]string{"Admin"}))
	assert.Equal(t, missingRoleLife, list.life([]string{"Admin", "Referee"}))
}

func TestAbsences(t *testing.T) {
	w := newWorld(t)
	a := newAbsences(w.Clock)
	assert.Equal(t, absenceGrace, a.remaining("u"))
	w.Clock.Step(absenceGrace - 1)
	assert.Equal(t, time.Duration(1), a.remaining("u"))
	w.Clock.Step(time.Hour)
	assert.Zero(t, a.remaining("u"))
	a.forget("u")
	assert.Equal(t, absenceGrace, a.remaining("u"))
}
