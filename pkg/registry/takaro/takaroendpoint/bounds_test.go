// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"
	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
)

// TestEverythingTakaroEndpointHoldsIsBounded checks the bounds of all fields: one object must not
// use up the memory of the replicas.
func TestEverythingTakaroEndpointHoldsIsBounded(t *testing.T) {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	boundstest.RequireBounded(t, newKind(scheme), func() *takaro.TakaroEndpoint {
		return &takaro.TakaroEndpoint{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "api"},
			Spec:       takaro.TakaroEndpointSpec{URL: "https://api.takaro.example"},
			Status: takaro.TakaroEndpointStatus{
				Installation: "name",
				Anchor:       &takaro.Anchor{ID: "id", CreatedAt: metav1.Now(), HeldBy: "0123abcd"},
				Left:         []takaro.LeftDomain{{ID: "id", Object: "team/arena"}},
				Holds: []takaro.Hold{{Type: takaro.HoldVanished, Token: "4-abcdef", Held: 4, Names: []string{"team/arena"},
					Released: []string{"team/arena"}}},
				Conditions: []metav1.Condition{{Type: "Ready", Status: "True", Reason: "Known", Message: "text", LastTransitionTime: metav1.Now()}},
			},
		}
	})
}
