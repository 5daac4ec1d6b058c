// SPDX-License-Identifier: Apache-2.0

//go:build integration

package monitoring

import (
	"testing"
	"time"

	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

// comparePeriod is shorter than the shipped minute, so that a Takaro that goes is noticed soon.
const comparePeriod = 2 * time.Second

func TestMain(m *testing.M) {
	// A server that refuses its store says so in its log.
	framework.Main(m, &env, framework.WithController("--takaro-compare-period="+comparePeriod.String()), framework.WithoutLogCheck())
}
