// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// controlled returns a bench that listens with control paths enabled, and a client of them.
func controlled(t *testing.T, opts Options) (*bench, *ControlClient) {
	t.Helper()
	opts.Control = true
	b := newBench(t, opts)
	require.NoError(t, b.Start())
	t.Cleanup(b.Close)
	return b, NewControlClient(b.URL()+"/", nil)
}

// create creates a domain over the API and returns its id.
func (b *bench) create(t *testing.T, reference string) string {
	t.Helper()
	a := b.call(t, "POST", "/domain", `{"name":"`+reference+`","externalReference":"`+reference+`"}`)
	require.Equal(t, 200, a.status, a.raw)
	return a.data(t)["createdDomain"].(map[string]any)["id"].(string)
}

func (b *bench) statusOf(t *testing.T, domainID string) int {
	t.Helper()
	return b.call(t, "GET", "/domain/"+domainID, "").status
}

func TestRestoreSnapshot_ForgetsWhatIsNewer(t *testing.T) {
	b, c := controlled(t, Options{})
	deleted := b.create(t, "deleted-later")
	require.NoError(t, c.SaveSnapshot(t.Context(), "backup"))
	newer := b.create(t, "created-later")
	require.Equal(t, 200, b.call(t, "DELETE", "/domain/"+deleted+"?hardDelete=true", "").status)
	require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, `{"name":"renamed","maxUsers":9,"externalReference":"changed"}`).status)
	require.Equal(t, 200, b.call(t, "POST", "/user/"+b.alice+"/role/"+b.admin, `{}`).status)
	require.Equal(t, 200, b.call(t, "PUT", "/user/"+b.alice, `{"name":"alicia"}`).status)

	for range 2 { // a snapshot can be restored more than once
		require.NoError(t, c.RestoreSnapshot(t.Context(), "backup", false))
		assert.Equal(t, 200, b.statusOf(t, deleted))
		assert.Equal(t, 404, b.statusOf(t, newer))
		restored, _ := b.DomainByReference("ref-one")
		assert.Equal(t, b.domain.ID, restored.ID)
		assert.Equal(t, "one", restored.Name)
		assert.Equal(t, 2, restored.MaxUsers)
		_, changed := b.DomainByReference("changed")
		assert.False(t, changed)
		user := b.call(t, "GET", "/user/"+b.alice, "") // tokens of a restored domain stay valid
		require.Equal(t, 200, user.status, user.raw)
		assert.Equal(t, "alice", user.data(t)["name"])
		assert.NotContains(t, user.raw, b.admin)
		require.Equal(t, 200, b.call(t, "PUT", "/user/"+b.alice, `{"name":"alicia"}`).status)
		require.Equal(t, 200, b.call(t, "POST", "/user/"+b.alice+"/role/"+b.admin, `{}`).status)
		assert.True(t, b.server(t, "mock-1").Connected)
	}
	require.ErrorContains(t, c.RestoreSnapshot(t.Context(), "other", false), `404 Not Found: restore snapshot "other"`)
	require.ErrorIs(t, b.RestoreSnapshot("other", false), ErrNoSuchSnapshot)
}

func TestRestoreSnapshot_Identities(t *testing.T) {
	b, c := controlled(t, Options{})
	require.NoError(t, c.SaveSnapshot(t.Context(), ""))
	require.Equal(t, 200, b.call(t, "POST", "/user", `{"name":"bob","email":"bob@example.com","password":"correct-horse"}`).status)
	require.NoError(t, c.RestoreSnapshot(t.Context(), "", true))
	assert.True(t, b.PasswordIs("bob@example.com", "correct-horse"), "Kratos was not restored")
	restored, _ := b.Domain(b.domain.ID)
	assert.Len(t, restored.Users, 2, "Takaro was restored")
	require.NoError(t, c.RestoreSnapshot(t.Context(), "", false))
	assert.False(t, b.PasswordIs("bob@example.com", "correct-horse"))
	assert.True(t, b.PasswordIs("alice@example.com", "correct-horse"))
}

func TestRestoreSnapshot_Assignments(t *testing.T) {
	b, c := controlled(t, Options{})
	role := "/user/" + b.alice + "/role/" + b.admin
	require.Equal(t, 200, b.call(t, "POST", role, `{}`).status)
	require.NoError(t, c.SaveSnapshot(t.Context(), "assigned"))
	require.NoError(t, c.RestoreSnapshot(t.Context(), "assigned", false))
	assert.Equal(t, 409, b.call(t, "POST", role, `{}`).status, "it is assigned in the copy too")
	require.Equal(t, 200, b.call(t, "DELETE", role, "").status)
	assert.Equal(t, 200, b.call(t, "POST", role, `{}`).status)
}

func TestSwapDatabase_NeverGivesAnIDTwice(t *testing.T) {
	b, c := controlled(t, Options{})
	fresh := b.newID
	ids := []string{b.domain.ID, "never-used-before"}
	b.newID = func(kind, hint string) (id string) {
		if kind != kindDomain {
			return fresh(kind, hint)
		}
		id, ids = ids[0], ids[1:]
		return id
	}
	_, _, err := c.SwapDatabase(t.Context(), "other", false)
	require.NoError(t, err)
	assert.Equal(t, "never-used-before", b.create(t, "one-more"))
}

func TestSwapDatabase_AndBack(t *testing.T) {
	b, c := controlled(t, Options{})
	former, current, err := c.SwapDatabase(t.Context(), "other", false)
	require.NoError(t, err)
	assert.Equal(t, []string{"main", "other"}, []string{former, current})
	assert.Equal(t, 404, b.statusOf(t, b.domain.ID))
	assert.Equal(t, 401, b.call(t, "GET", "/me", "").status, "as for a domain that was hard-deleted")
	assert.Equal(t, 500, b.call(t, "POST", "/token", `{"domainId":"`+b.domain.ID+`"}`).status)
	assert.False(t, b.PasswordIs("alice@example.com", "correct-horse"))
	there := b.create(t, "ref-one") // the reference is available there

	_, unnamed, err := c.SwapDatabase(t.Context(), "", true)
	require.NoError(t, err)
	assert.NotEmpty(t, unnamed)
	assert.Empty(t, b.Domains())
	for database, id := range map[string]string{"other": there, "main": b.domain.ID} {
		_, _, err = c.SwapDatabase(t.Context(), database, false)
		require.NoError(t, err)
		require.Len(t, b.Domains(), 1)
		assert.Equal(t, id, b.Domains()[0].ID)
		former, current = b.SwapDatabase(database, false)
		assert.Equal(t, []string{database, database}, []string{former, current}, "already the current one")
	}
	_, _, err = c.SwapDatabase(t.Context(), "main", false)
	require.NoError(t, err)
	assert.True(t, b.PasswordIs("alice@example.com", "correct-horse"))
	assert.True(t, b.server(t, "mock-1").Connected)
}

func TestEmptyDatabase_RemovesEverything(t *testing.T) {
	b, c := controlled(t, Options{})
	require.NoError(t, c.EmptyDatabase(t.Context(), true))
	assert.Empty(t, b.Domains())
	assert.JSONEq(t, `{"meta":{"page":0,"limit":100,"total":0},"data":[]}`, b.call(t, "POST", "/domain/search", `{}`).raw)
	assert.True(t, b.PasswordIs("alice@example.com", "correct-horse"))
	require.Equal(t, 204, b.call(t, "POST", "/__control/empty", "").status, "the body is optional")
	assert.False(t, b.PasswordIs("alice@example.com", "correct-horse"))
	b.create(t, "ref-one")
	assert.Equal(t, 400, b.call(t, "POST", "/__control/empty", `{"everything":true}`).status)
}

func TestConnections_SurviveARestore(t *testing.T) {
	b, c := controlled(t, Options{ConnectorListen: "127.0.0.1:0"})
	end := dial(t, b)
	require.NoError(t, c.SaveSnapshot(t.Context(), "before"))
	id := end.identify("mock-2", b.domain.RegistrationToken).GameServerID
	require.NoError(t, c.SaveSnapshot(t.Context(), "with"))
	require.NoError(t, c.RestoreSnapshot(t.Context(), "before", false))
	require.NoError(t, c.RestoreSnapshot(t.Context(), "with", false))
	go end.echo()
	assert.True(t, b.server(t, "mock-2").Connected)
	assert.Equal(t, 200, b.call(t, "POST", "/gameserver/"+id+"/command", `{"command":"say hi"}`).status)
	require.NoError(t, c.RestoreSnapshot(t.Context(), "before", false))
	require.Equal(t, 1, b.DropConnections("mock-2"))
	require.NoError(t, c.RestoreSnapshot(t.Context(), "with", false))
	assert.False(t, b.server(t, "mock-2").Connected, "a backup brings no connection back")
}

func TestPlantStranger(t *testing.T) {
	b, c := controlled(t, Options{})
	id, err := c.PlantStranger(t.Context(), Stranger{Reference: "wanted", Name: "theirs", State: StateMaintenance})
	require.NoError(t, err)
	d, _ := b.DomainByReference("wanted")
	assert.Equal(t, []string{id, "theirs", StateMaintenance}, []string{d.ID, d.Name, d.State})
	assert.True(t, d.HasRoot)
	assert.Zero(t, b.Count("", ""), "it is no request")

	_, err = c.PlantStranger(t.Context(), Stranger{Reference: "ref-one"})
	require.ErrorContains(t, err, "409 Conflict")
	_, err = c.PlantStranger(t.Context(), Stranger{Reference: "ref-one", State: "ODD", Replace: true})
	require.ErrorContains(t, err, "state of the seed is not valid")
	assert.Equal(t, 200, b.statusOf(t, b.domain.ID), "nothing is removed for a stranger who cannot be created")
	id, err = c.PlantStranger(t.Context(), Stranger{Reference: "ref-one", Replace: true})
	require.NoError(t, err)
	assert.Equal(t, 404, b.statusOf(t, b.domain.ID))
	assert.Equal(t, 200, b.statusOf(t, id))
	_, err = c.PlantStranger(t.Context(), Stranger{})
	require.ErrorContains(t, err, "the reference is missing")
}

func TestChangeReference(t *testing.T) {
	s := New(Options{})
	theirs, _, err := s.PlantDomain(Seed{Name: "theirs", ExternalReference: "ref-one"})
	require.NoError(t, err)
	_, _, err = s.PlantDomain(Seed{Name: "other", ExternalReference: "ref-two"})
	require.NoError(t, err)

	former, err := s.ChangeReference(theirs.ID, "ref-three")
	require.NoError(t, err)
	assert.Equal(t, "ref-one", former)
	changed, found := s.DomainByReference("ref-three")
	assert.True(t, found)
	assert.Equal(t, theirs.ID, changed.ID)
	_, err = s.ChangeReference(theirs.ID, "ref-two")
	require.ErrorContains(t, err, "ref-two")
	_, err = s.ChangeReference("no-such-domain", "ref-four")
	require.ErrorIs(t, err, ErrNoSuchObject)
}
