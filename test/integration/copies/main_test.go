// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

// Package copies tests what happens in Takaro when a cluster is restored next to its original, at
// the same Takaro or at a clone of it, and when one of its two etcds is rolled back: real control
// planes, both programs with the rights that are shipped, and a stand-in for Takaro.
package copies

import (
	"testing"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// original is the cluster of which copies are made. Each test has a namespace and a Takaro of its
// own.
var original *framework.Env

// options are those of every cluster here. Programs that end are started again, as a kubelet does.
var options = []framework.Option{
	framework.WithController("--takaro-compare-period=5s", "--takaro-qps=500", "--takaro-burst=500"),
	framework.WithInstall(func(o *install.Options) { o.Restart = true }),
	// Programs whose etcd is exchanged log errors.
	framework.WithoutLogCheck(),
}

func TestMain(m *testing.M) { framework.Main(m, &original, options...) }
