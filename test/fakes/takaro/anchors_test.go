// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const anchorBody = `{"name":"Roadstead anchor 1 ` +
	`holder=none","externalReference":"roadstead-anchor:1","state":"DISABLED","maxGameservers":0,"maxUsers":0}`

// anchorBench returns a bench with one anchor, the anchor, and the time that the server uses.
func anchorBench(t *testing.T) (b *bench, anchor map[string]any, now *time.Time) {
	t.Helper()
	now = new(time.Now())
	b = newBench(t, Options{Now: func() time.Time { return *now }})
	created := b.call(t, "POST", "/domain", anchorBody)
	require.Equal(t, 200, created.status, created.raw)
	return b, created.data(t)["createdDomain"].(map[string]any), now
}

// TestAnchor_ChangesOnlyAsTold covers what was observed of a real Takaro: an empty update changes
// the update time, also of a DISABLED domain, and nothing else.
func TestAnchor_ChangesOnlyAsTold(t *testing.T) {
	b, anchor, now := anchorBench(t)
	assert.Equal(t, []any{"DISABLED", 0.0, 0.0}, []any{anchor["state"], anchor["maxGameservers"], anchor["maxUsers"]})
	path := "/domain/" + anchor["id"].(string)
	for body, change := range map[string]map[string]any{`{}`: {}, `{"name":"renamed"}`: {"name": "renamed"}, `{"maxUsers":0}`: {}} {
		*now = now.Add(time.Second)
		updated := b.call(t, "PUT", path, body)
		require.Equal(t, 200, updated.status, updated.raw)
		got := updated.data(t)
		assert.Greater(t, got["updatedAt"], anchor["updatedAt"], body)
		anchor["updatedAt"] = got["updatedAt"]
		for field, value := range change {
			anchor[field] = value
		}
		assert.Equal(t, anchor, got, body)
		assert.Equal(t, anchor, b.call(t, "GET", path, "").data(t), body)
	}
}

func TestAnchor_ReferenceIsUniqueUntilHardDelete(t *testing.T) {
	b, anchor, _ := anchorBench(t)
	path := "/domain/" + anchor["id"].(string)
	assert.Equal(t, 409, b.call(t, "POST", "/domain", anchorBody).status)
	require.Equal(t, 200, b.call(t, "DELETE", path, "").status)
	assert.Equal(t, 409, b.call(t, "POST", "/domain", anchorBody).status, "a soft delete keeps the reference in use")
	require.Equal(t, 200, b.call(t, "DELETE", path+"?hardDelete=true", "").status)
	assert.Equal(t, 404, b.call(t, "GET", path, "").status)
	again := b.call(t, "POST", "/domain", anchorBody)
	require.Equal(t, 200, again.status, again.raw)
	assert.NotEqual(t, anchor["id"], again.data(t)["createdDomain"].(map[string]any)["id"])
}

func TestAnchors_AreNotAmongTheDomains(t *testing.T) {
	b, anchor, now := anchorBench(t)
	require.Len(t, b.Domains(), 1)
	assert.Equal(t, b.domain.ID, b.Domains()[0].ID)
	require.Len(t, b.Anchors(), 1)
	first := b.Anchors()[0]
	assert.Equal(t, []string{anchor["id"].(string), "roadstead-anchor:1"}, []string{first.ID, first.ExternalReference})
	assert.Equal(t, []any{anchor["createdAt"], anchor["updatedAt"]}, []any{first.CreatedAt, first.UpdatedAt})
	*now = now.Add(time.Second)
	require.Equal(t, 200, b.call(t, "PUT", "/domain/"+first.ID, `{}`).status)
	renewed := b.Anchors()[0]
	assert.Greater(t, renewed.UpdatedAt, first.UpdatedAt)
	renewed.UpdatedAt = first.UpdatedAt
	assert.Equal(t, first, renewed)
	_, found := b.Domain(first.ID)
	assert.True(t, found, "by its id it is a domain like any other")
}

func TestAnchors_BelongToTheDatabase(t *testing.T) {
	b, anchor, now := anchorBench(t)
	b.SaveSnapshot("before")
	*now = now.Add(time.Second)
	require.Equal(t, 200, b.call(t, "PUT", "/domain/"+anchor["id"].(string), `{"name":"renamed"}`).status)
	renamed := b.Anchors()
	former, _ := b.SwapDatabase("", true)
	assert.Empty(t, b.Anchors())
	b.SwapDatabase(former, true)
	assert.Equal(t, renamed, b.Anchors())
	require.NoError(t, b.RestoreSnapshot("before", true))
	require.Len(t, b.Anchors(), 1)
	assert.Equal(t, []any{anchor["id"], anchor["name"], anchor["updatedAt"]},
		[]any{b.Anchors()[0].ID, b.Anchors()[0].Name, b.Anchors()[0].UpdatedAt})
	b.EmptyDatabase(true)
	assert.Empty(t, b.Anchors())
}
