// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

// Package copies tests what happens in Takaro when a cluster is restored next to its original, with
// the same Takaro or a clone of it, and when one of its two etcds is rolled back. It uses real
// control planes, both programs with the shipped rights, and a simulated Takaro.
package copies

import (
	"testing"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// original is the cluster that the tests copy. Each test has a separate namespace and Takaro.
var original *framework.Env

// options are the options of every cluster in this package. Programs that exit are restarted, as by
// a kubelet.
var options = []framework.Option{
	framework.WithController("--takaro-compare-period=5s", "--takaro-qps=500", "--takaro-burst=500"),
	framework.WithInstall(func(o *install.Options) { o.Restart = true }),
	// Programs whose etcd is replaced log errors.
	framework.WithoutLogCheck(),
}

func TestMain(m *testing.M) { framework.Main(m, &original, options...) }
