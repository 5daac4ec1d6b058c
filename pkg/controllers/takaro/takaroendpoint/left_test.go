// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// leftWorld contains a TakaroEndpoint at which a Domain left domains.
type leftWorld struct {
	*world
	client *takaro.Client
	ids    []string
}

func newLeftWorld(t *testing.T, references ...string) *leftWorld {
	t.Helper()
	w := &leftWorld{world: newWorld(t)}
	var err error
	w.client, err = w.Parts(w.Store).Pool.Client(takaro.Endpoint{URL: w.Front.URL, AdminToken: takaro.NewSecret(w.Takaro.AdminToken())})
	require.NoError(t, err)
	for _, reference := range references {
		planted, _, err := w.Takaro.PlantDomain(standin.Seed{ExternalReference: reference})
		require.NoError(t, err)
		w.ids = append(w.ids, planted.ID)
	}
	w.addDomains(1)
	w.leave(w.ids...)
	return w
}

func (w *leftWorld) leave(ids ...string) {
	w.T.Helper()
	require.NoError(w.T, w.keeper.Leave(w.T.Context(), w.domain("d00"), resolved("token"), ids))
}

// mark calls markLeft a period after the last attempt, and returns the number of requests that it
// sent.
func (w *leftWorld) mark() (requests int, err error) {
	w.Clock.Step(markPeriod)
	w.Takaro.ResetCounts()
	err = w.keeper.markLeft(w.T.Context(), w.Object(), w.client)
	return w.Takaro.Count("", ""), err
}

func (w *leftWorld) left() []string {
	var ids []string
	for _, left := range w.Object().Status.Left {
		ids = append(ids, left.ID)
	}
	return ids
}

func (w *leftWorld) references() []string {
	var all []string
	for _, id := range w.ids {
		domain, _ := w.Takaro.Domain(id)
		all = append(all, domain.ExternalReference)
	}
	return all
}

func TestMarkLeft(t *testing.T) {
	w := newLeftWorld(t, "roadstead:unit:1", "typed", "retained:unit:2", "", "roadstead:unit:3")
	w.leave("no-such-domain", "roadstead:unit:4")
	w.Takaro.RemoveDomain(w.ids[4])
	_, err := w.mark()
	require.NoError(t, err)
	assert.Equal(t, []string{"retained:unit:1", "typed", "retained:unit:2", "", ""}, w.references())
	assert.Equal(t, []string{"roadstead:unit:4"}, w.left(), "its id is not known")
	requests, err := w.mark()
	require.NoError(t, err)
	assert.Zero(t, requests)
}

func TestMarkLeft_TriesOnceAPeriod(t *testing.T) {
	w := newLeftWorld(t, "roadstead:unit:1", "roadstead:unit:2")
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultErrorBefore, Method: http.MethodPut, Path: "/domain/*"})
	require.NoError(t, err)
	_, err = w.mark()
	require.ErrorContains(t, err, "mark domain "+w.ids[0])
	require.NotContains(t, err.Error(), w.ids[1], "the others would fail as well")
	assert.Len(t, w.left(), 2)

	w.Takaro.ClearFaults()
	w.Clock.Step(markPeriod - time.Second)
	w.Takaro.ResetCounts()
	require.NoError(t, w.keeper.markLeft(t.Context(), w.Object(), w.client))
	assert.Zero(t, w.Takaro.Count("", ""))
	_, err = w.mark()
	require.NoError(t, err)
	assert.Empty(t, w.left())
}

func TestMarkLeft_ReferenceIsInUse(t *testing.T) {
	w := newLeftWorld(t, "roadstead:unit:1", "roadstead:unit:2")
	_, _, err := w.Takaro.PlantDomain(standin.Seed{ExternalReference: "retained:unit:1"})
	require.NoError(t, err)
	_, err = w.mark()
	require.True(t, takaro.IsConflict(err), "%v", err)
	assert.Equal(t, []string{w.ids[0]}, w.left())
	assert.Equal(t, []string{"roadstead:unit:1", "retained:unit:2"}, w.references())
}

func TestMarkLeft_EndpointIsDeleted(t *testing.T) {
	w := newLeftWorld(t, "roadstead:unit:1")
	stored := w.Object()
	stored.Finalizers = nil
	require.NoError(t, w.Store.Update(t.Context(), stored))
	w.Delete()
	w.Clock.Step(markPeriod)
	require.NoError(t, w.keeper.markLeft(t.Context(), stored, w.client))
	assert.Equal(t, []string{"retained:unit:1"}, w.references())
}
