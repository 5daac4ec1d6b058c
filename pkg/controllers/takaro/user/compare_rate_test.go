// SPDX-License-Identifier: Apache-2.0

package user

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// addTeams stores additional Domains, each with two Users.
func (w *world) addTeams(n int) {
	w.T.Helper()
	for i := range n {
		planted, _, err := w.Takaro.PlantDomain(standin.Seed{})
		require.NoError(w.T, err)
		name := fmt.Sprintf("arena-%d", i)
		domain := &v1alpha1.Domain{
			ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: name, UID: types.UID(name), Generation: 1},
			Spec: v1alpha1.DomainSpec{TakaroAPIURL: w.Front.URL, CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: "admin",
				Key: "adminToken"}},
			Status: held(planted.ID),
		}
		w.Add(domain)
		for j := range 2 {
			user := fmt.Sprintf("user-%d-%d", i, j)
			w.Add(&v1alpha1.User{ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: user, UID: types.UID(user), Generation: 1},
				Spec: v1alpha1.UserSpec{Name: user, Email: user + "@example.com", DomainRef: v1alpha1.LocalObjectReference{Name: name}}})
		}
	}
}

// Each Domain is queried once, regardless of the number of its Users. With very many Domains the
// comparison takes longer instead of exceeding its share of the rate limit.
func TestCompareAsksOncePerDomainAndStretches(t *testing.T) {
	const domains, perSecond = 11, 50
	w := newWorld(t)
	w.addTeams(domains)
	compare := &watch{reconciler: w.controller(w.Store)}
	compare.QPS = 2 * perSecond
	var took time.Duration
	requests := func() map[string]int {
		found := map[string]int{}
		for _, request := range w.count(func() {
			begin := time.Now()
			compare.loop().Once(t.Context())
			took = time.Since(begin)
		}) {
			found[request]++
		}
		return found
	}
	assert.Equal(t, map[string]int{"POST /user/search": domains, "POST /token": domains}, requests(), "the first time")
	assert.Equal(t, map[string]int{"POST /user/search": domains}, requests(), "at rest")
	least := time.Second * (domains - 1) / perSecond
	assert.GreaterOrEqual(t, took, least)
	assert.GreaterOrEqual(t, testutil.ToFloat64(counts.CompareDuration.WithLabelValues("User")), least.Seconds(), "the metric counts it")
}
