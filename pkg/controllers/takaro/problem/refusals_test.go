// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// One rejected token of 10,000 objects: after a few minutes they cause no more than 50 attempts per
// second, about a tenth of the initial rate.
func TestRefusedTokenOfManyObjects(t *testing.T) {
	const objects, hour = 10_000, time.Hour
	refusals := NewRefusals()
	attempts, late := 0, 0
	for n := range objects {
		name := types.NamespacedName{Namespace: "team", Name: fmt.Sprint(n)}
		for at := time.Duration(0); at < hour; at += refusals.Wait(name, v1alpha1.ReasonAdminTokenRefused, RefusedWait) {
			if attempts++; at > hour-10*time.Minute {
				late++
			}
		}
	}
	assert.Less(t, attempts, 20*objects)
	assert.Less(t, late, 50*10*60)
}

func TestRefusedWaitGrowsForEachObject(t *testing.T) {
	one, other := types.NamespacedName{Name: "one"}, types.NamespacedName{Name: "other"}
	refusals := NewRefusals()
	refused := func(object types.NamespacedName) float64 {
		return refusals.Wait(object, v1alpha1.ReasonAdminTokenRefused, RefusedWait).Seconds()
	}
	for _, want := range []float64{25, 50, 100, 200, 300, 300} {
		assert.InDelta(t, want, refused(one), want*0.2+0.001)
	}
	assert.InDelta(t, 25, refused(other), 5.001)
	assert.Equal(t, CircuitWait, refusals.Wait(one, v1alpha1.ReasonEndpointUnavailable, CircuitWait))
	assert.InDelta(t, 25, refused(one), 5.001, "the token was not refused in between")
	refusals.Forget(other)
	assert.InDelta(t, 25, refused(other), 5.001)
}
