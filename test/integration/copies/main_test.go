// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

// Package copies tests what happens in Takaro when a cluster is restored next to its original, at
// the same Takaro or at a clone of it, and when one of its two etcds is rolled back: real control
// planes, both programs with the rights that are shipped, and a stand-in for Takaro.
package copies

import (
	"context"
	"fmt"
	"os"
	"testing"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// original is the cluster of which copies are made. Each test has a namespace and a Takaro of its
// own.
var original *framework.Env

// options are those of every installation here. Programs that end are started again, as a kubelet
// does.
var options = install.Options{Restart: true, ControllerArgs: []string{
	"--takaro-compare-period=5s", "--takaro-qps=500", "--takaro-burst=500",
}}

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run is not framework.Main: programs whose etcd is exchanged leave errors in the server's log.
func run(m *testing.M) int {
	env, err := framework.Start(context.Background(), cluster.Options{}, options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	original = env
	code := m.Run()
	if err := env.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
