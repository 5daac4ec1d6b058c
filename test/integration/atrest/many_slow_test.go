// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package atrest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// manyEnvironments is a number for which the period must be extended. It takes more than a minute
// on two cores until all are Ready, because each of them causes more than a hundred requests to the
// control plane.
const manyEnvironments = 200

func TestManyEnvironmentsAtRest(t *testing.T) {
	many := newMany(t)
	many.make(manyEnvironments)
	seen := many.watchRest(t, 4*comparePeriod)
	lists := seen.requests["/user/search"] + seen.requests["/gameserver/search"]
	assert.LessOrEqual(t, float64(lists), seen.window.Seconds()*takaroQPS/2+1, "half of the rate is for others")
	assert.GreaterOrEqual(t, float64(lists), seen.window.Seconds()*takaroQPS/2*0.7, "the other half is used")
	assert.LessOrEqual(t, seen.requests["/domain/search"], int(seen.window/comparePeriod)+1)
	assert.Greater(t, seen.stretch, comparePeriod.Seconds(), "the metric tells of the stretched period")
	assert.Less(t, seen.stretch, 2*comparePeriod.Seconds())
}
