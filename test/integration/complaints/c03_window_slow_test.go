// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package complaints

import (
	"testing"
	"time"
)

// TestC03StaysAvailable verifies that the server stays available for ten minutes.
func TestC03StaysAvailable(t *testing.T) {
	e := apart(t)
	services := apiServices(t, e)
	staysAvailable(t, services, awaitAvailable(t, services), 10*time.Minute)
}
