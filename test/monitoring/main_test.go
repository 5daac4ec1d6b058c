// SPDX-License-Identifier: Apache-2.0

//go:build integration

package monitoring

import (
	"testing"
	"time"

	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

// comparePeriod is shorter than the shipped minute, so that the loss of a Takaro is detected soon.
const comparePeriod = 2 * time.Second

func TestMain(m *testing.M) {
	// A server that refuses its store logs an error, so the log is not checked.
	framework.Main(m, &env, framework.WithController("--takaro-compare-period="+comparePeriod.String()), framework.WithoutLogCheck())
}
