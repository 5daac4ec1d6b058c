// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// addTeams stores additional Domains, each with two MockServers.
func (w *world) addTeams(n int) {
	w.T.Helper()
	first := &v1alpha1.Domain{}
	require.NoError(w.T, w.Store.Get(w.T.Context(), types.NamespacedName{Namespace: controllertest.Namespace, Name: "arena"}, first))
	for i := range n {
		planted, _, err := w.Takaro.PlantDomain(standin.Seed{})
		require.NoError(w.T, err)
		domain := first.DeepCopy()
		domain.Name, domain.ResourceVersion = fmt.Sprintf("arena-%d", i), ""
		hold(domain, planted.ID)
		domain.UID = types.UID(domain.Name)
		w.Add(domain)
		for j := range 2 {
			server := named(fmt.Sprintf("uid-%d-%d", i, j), fmt.Sprintf("game-%d-%d", i, j))
			server.Spec.DomainRef = &v1alpha1.LocalObjectReference{Name: domain.Name}
			w.Add(server)
		}
	}
}

// Each Domain is queried once, regardless of the number of its MockServers. With very many Domains
// the comparison takes longer instead of exceeding its share of the rate limit.
func TestCompareAsksOncePerDomainAndStretches(t *testing.T) {
	const more, perSecond = 10, 50
	w := newWorld(t)
	w.addTeams(more)
	w.r.QPS = 2 * perSecond
	compare := &watch{reconciler: w.r}
	compare.loop().Once(t.Context())
	w.Takaro.ResetCounts()
	begin := time.Now()
	compare.loop().Once(t.Context())
	took := time.Since(begin)
	assert.Equal(t, more+1, w.Takaro.Count("POST", "/gameserver/search"))
	assert.Equal(t, more+1, w.Takaro.Count("", ""), "nothing else is asked at rest")
	least := time.Second * more / perSecond
	assert.GreaterOrEqual(t, took, least)
	assert.GreaterOrEqual(t, testutil.ToFloat64(counts.CompareDuration.WithLabelValues("MockServer")), least.Seconds(),
		"the metric counts it")
}
