// SPDX-License-Identifier: Apache-2.0

package user

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// rosterWorld returns a world with a roster and a client of the domain.
func rosterWorld(t *testing.T) (*world, *roster, parts.Place, *takaro.Client) {
	t.Helper()
	w := newWorld(t)
	w.addUser()
	r := w.controller(w.Store)
	client, err := w.connectAs(r)
	require.NoError(t, err)
	return w, r.roster, parts.Place{DomainID: w.domainID}, client
}

func TestManyShareOneList(t *testing.T) {
	w, r, at, client := rosterWorld(t)
	_, err := r.list(t.Context(), at, client, snapshotLife) // also obtains the token
	require.NoError(t, err)
	w.Clock.Step(snapshotLife)
	requests := w.count(func() {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				_, err := r.list(t.Context(), at, client, absenceLife)
				assert.NoError(t, err)
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
			_, err := r.list(t.Context(), at, client, age)
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
	r.retain(map[parts.Place]bool{})
	assert.Equal(t, 1, lists(snapshotLife), "what nobody uses is forgotten")
}

func TestWritesCountAgainstOlderLists(t *testing.T) {
	w, r, at, _ := rosterWorld(t)
	emailOf := func(id, email string) takaro.User { return takaro.User{ID: id, Email: email} }
	old := &snapshot{Taken: w.Clock.Now(), Rows: rowsOf([]takaro.User{emailOf("1", "gone@example.com"), emailOf("3", "again@example.com")})}
	w.Clock.Step(time.Second)
	for _, user := range []takaro.User{emailOf("2", "New@Example.com"), emailOf("4", "again@example.com")} {
		r.put(at, &user)
	}
	r.remove(at, "1")
	r.remove(at, "3")
	r.cache.Install(at, old)
	id := func(email string) string {
		user, _ := r.byEmail(old, email)
		return user.ID
	}
	assert.Equal(t, "2", id("NEW@example.com"))
	assert.Empty(t, id("gone@example.com"))
	assert.Equal(t, "4", id("again@example.com"), "the address of a deleted user has another one now")
	rows, _ := r.size(old)
	assert.Equal(t, 2, rows)
	w.Clock.Step(time.Second)
	later := &snapshot{Taken: w.Clock.Now(), Rows: rowsOf(nil)}
	r.cache.Install(at, later)
	_, listed := r.byEmail(later, "new@example.com")
	assert.False(t, listed, "a later list knows better")
}

func TestLifeOfRoleLists(t *testing.T) {
	list := &roleList{ids: map[string]string{"Admin": "1"}}
	assert.Equal(t, roleLife, list.life([]string{"Admin"}))
	assert.Equal(t, missingRoleLife, list.life([]string{"Admin", "Referee"}))
}
