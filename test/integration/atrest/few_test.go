// SPDX-License-Identifier: Apache-2.0

//go:build integration && !slow

package atrest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// fewEnvironments require less than half of the request rate, so that Takaro can be queried about
// each of them in each period.
const fewEnvironments = 50

func TestFewEnvironmentsAtRest(t *testing.T) {
	few := newMany(t)
	few.make(fewEnvironments)
	seen := few.watchRest(t, 2*comparePeriod)
	// The next comparison begins up to a fifth of a period late.
	periods := seen.window.Seconds() / comparePeriod.Seconds()
	for _, kind := range []string{"/user/search", "/gameserver/search"} {
		assert.LessOrEqual(t, seen.requests[kind], int(periods+1)*fewEnvironments, "one for each Domain and period: %s", kind)
		assert.GreaterOrEqual(t, seen.requests[kind], int(periods/1.2*fewEnvironments)-fewEnvironments, "no less: %s", kind)
	}
	assert.LessOrEqual(t, seen.requests["/domain/search"], int(periods+1), "one for all Domains")
	assert.Less(t, seen.stretch, comparePeriod.Seconds(), "there is time left in the period")
}
