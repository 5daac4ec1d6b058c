// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"roadstead.dev/roadstead/hack/demo/outside"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// run starts everything, runs the tour, and stops everything that it started.
func run(ctx context.Context, dir string, once bool) (err error) {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	say("Starting a real Kubernetes control plane on loopback ...")
	host, err := cluster.Start(ctx, cluster.Options{Dir: filepath.Join(dir, "cluster")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Stop()) }()

	say("Installing Roadstead into it, as artifacts/deploy says ...")
	installation, err := install.Install(ctx, install.Options{Cluster: host, Dir: filepath.Join(dir, "roadstead")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, installation.Stop()) }()

	around, err := outside.Start(ctx, host, outside.Options{Logs: filepath.Join(dir, "mockservers")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, around.Stop()) }()
	introduce(around)

	tour := &tour{user: host, outside: around, dir: dir}
	if err := tour.prepare(ctx); err != nil {
		return err
	}
	if once {
		return tour.whole(ctx)
	}
	if err := tour.create(ctx); err != nil {
		return err
	}
	if err := tour.guard(ctx); err != nil {
		return err
	}
	tour.invite()
	<-ctx.Done()
	say("\nEnding everything ...")
	return nil
}

// introduce prints what runs outside of the cluster.
func introduce(o *outside.Outside) {
	if folder := o.MockServers(); folder != "" {
		say("The pods run the mock game server in %s", folder)
	}
	if o.Fake == nil {
		say("Takaro is the real one at %s; a real Redis answers at %s", o.Takaro.URL(), o.Redis.Addr())
		return
	}
	say("A stand-in for Takaro answers at %s, its connector at %s, a real Redis at %s", o.Takaro.URL(),
		o.Takaro.ConnectorURL(), o.Redis.Addr())
}

// say prints a line of the explanation.
func say(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
}
