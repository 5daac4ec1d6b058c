// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func strayCount(scope string) float64 { return testutil.ToFloat64(straysFound.WithLabelValues(scope)) }

func TestStrays(t *testing.T) {
	w, comparer := watching(t)
	comparer.woken(t)
	assert.Zero(t, strayCount("tenant"), "its own domain is recorded")
	var ids []string
	for _, reference := range []string{
		"roadstead:unit:99999999-0000-0000-0000-000000000001", "roadstead:unit:99999999-0000-0000-0000-000000000002",
		"roadstead:before:99999999-0000-0000-0000-000000000003", "roadstead:unit:99999999-0000-0000-0000-000000000004",
		"roadstead:other:99999999-0000-0000-0000-000000000005", "retained:unit:99999999-0000-0000-0000-000000000006", "typed",
	} {
		planted, _, err := w.Takaro.PlantDomain(seed(reference))
		require.NoError(t, err)
		ids = append(ids, planted.ID)
	}
	other := w.Object()
	other.ObjectMeta = metav1.ObjectMeta{Namespace: "other", Name: "other", UID: "99999999-0000-0000-0000-000000000002"}
	other.Status = v1alpha1.DomainStatus{}
	e := &v1alpha1.TakaroEndpoint{ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: "e"}}
	e.Status.Installation, e.Status.Left = "before", []v1alpha1.LeftDomain{{ID: ids[3]}}
	w.Add(other, e)
	comparer.loop().Once(t.Context())
	assert.EqualValues(t, 2, strayCount("tenant"), "one of this name of the installation, one of its former name")
	assert.Zero(t, strayCount("installation"))

	fault, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTruncate, Path: "/domain/search"})
	require.NoError(t, err)
	w.Takaro.RemoveDomain(ids[0])
	comparer.loop().Once(t.Context())
	assert.EqualValues(t, 2, strayCount("tenant"), "an incomplete list proves nothing")
	w.Takaro.RemoveFault(fault)
	comparer.loop().Once(t.Context())
	assert.EqualValues(t, 1, strayCount("tenant"))
	w.Takaro.RemoveDomain(ids[2])
	comparer.loop().Once(t.Context())
	assert.Zero(t, strayCount("tenant"))
}

// A domain that is also visible with the installation's credentials counts once.
func TestStrays_CountOnce(t *testing.T) {
	s := strays{}
	one, two, three := endpoint.Key{1}, endpoint.Key{2}, endpoint.Key{3}
	s.put(one, straysOf{scope: "installation", domains: []string{"a", "b"}})
	s.put(two, straysOf{scope: "tenant", domains: []string{"b", "c", "d"}})
	s.put(three, straysOf{scope: "tenant", domains: []string{"d"}})
	s.publish(map[endpoint.Key]bool{one: true, two: true, three: true})
	assert.EqualValues(t, 2, strayCount("installation"))
	assert.EqualValues(t, 2, strayCount("tenant"))
	s.publish(map[endpoint.Key]bool{two: true, three: true})
	assert.Zero(t, strayCount("installation"), "nothing uses these credentials any more")
	assert.EqualValues(t, 3, strayCount("tenant"))
	s.publish(nil)
}
