// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package uninstall tests the end of an installation: a real control plane, both programs, an environment in the Takaro
// stand-in, and prepare-uninstall with the rights that are shipped for it and no more.
package uninstall

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/fakes/mockgameserver"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/fakes/redis"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
)

var (
	// env has no installation: each test makes its own, and ends it.
	env    *framework.Env
	shared *redis.Server
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	ctx := context.Background()
	code = 1
	var ends []func() error
	defer func() {
		for _, end := range slices.Backward(ends) {
			if err := end(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}()
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Whoever changes owners must then be allowed to delete the object, as in some clusters.
	control, err := cluster.Start(ctx, cluster.Options{AuditLevel: "Request", KubeAPIServerArgs: []string{"--enable-admission-plugins=OwnerReferencesPermissionEnforcement"}})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, control.Stop)
	player, err := podplayer.Start(ctx, podplayer.Options{Config: control.AdminConfig(), TimeScale: 0.05,
		Behaviours: mockgameserver.Behaviours(mockgameserver.Options{TimeScale: 0.01})})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, player.Stop)
	if shared, err = redis.Start(ctx); err != nil {
		return fail(err)
	}
	ends = append(ends, shared.Close)
	admin, err := kubernetes.NewForConfig(control.AdminConfig())
	if err != nil {
		return fail(err)
	}
	env = &framework.Env{Cluster: control, Admin: admin}
	return m.Run()
}
