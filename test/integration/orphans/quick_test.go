// SPDX-License-Identifier: Apache-2.0

//go:build integration && !slow

package orphans

import "time"

const (
	raceRounds = 100
	raceLimit  = 30 * time.Second
)
