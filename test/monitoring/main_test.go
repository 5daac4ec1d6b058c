// SPDX-License-Identifier: Apache-2.0

//go:build integration

package monitoring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

var env *framework.Env

// comparePeriod is shorter than the shipped minute, so that a Takaro that goes is noticed soon.
const comparePeriod = 2 * time.Second

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run is not framework.Main: a server that refuses its store says so in its log, which that one does not accept.
func run(m *testing.M) (code int, err error) {
	ctx := context.Background()
	control, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, control.Stop()) }()
	roadstead, err := install.Install(ctx, install.Options{Cluster: control, ControllerArgs: []string{"--takaro-compare-period=" + comparePeriod.String()}})
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
