// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package orphans tests what becomes of objects whose namespace is gone: a real control plane, both programs with the
// rights that are shipped, and the Takaro stand-in.
package orphans

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

var env *framework.Env

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run is not framework.Main: a controller that is stopped in the middle of a request leaves traces in the server's log which
// that one does not accept. The controllers are those of the tests: each needs other flags.
func run(m *testing.M) (code int, err error) {
	ctx := context.Background()
	control, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, control.Stop()) }()
	roadstead, err := install.Install(ctx, install.Options{Cluster: control, WithoutController: true})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, roadstead.Stop()) }()
	admin, err := kubernetes.NewForConfig(control.AdminConfig())
	if err != nil {
		return 1, err
	}
	env = &framework.Env{Cluster: control, Roadstead: roadstead, Admin: admin}
	return m.Run(), nil
}
