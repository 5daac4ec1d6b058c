// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// TestUnstored_ClosedCircuit: a Domain that is woken when the circuit closes must get the new state
// immediately.
func TestUnstored_ClosedCircuit(t *testing.T) {
	for name, c := range map[string]struct {
		failed error
		looks  bool
	}{
		"the circuit was open":  {&takaro.CircuitOpenError{}, true},
		"Takaro did not answer": {&takaro.TransportError{Err: errors.New("x")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.own("arena")
			e := &v1alpha1.TakaroEndpoint{Spec: v1alpha1.TakaroEndpointSpec{URL: s.Front.URL}}
			e.Namespace, e.Name, e.Status.Installation = controllertest.Namespace, "unstored", installation
			s.keeper.fail(t.Context(), s.keeper.sightOf(client.ObjectKeyFromObject(e)), c.failed)
			s.keeper.lookUnstored(t.Context(), e, s.stored("arena"))
			assert.Equal(t, c.looks, s.Takaro.Count("", "") > 0)
		})
	}
}
