// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/hack/cluster"
	"roadstead.dev/roadstead/test/fakes/mockgameserver"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/fakes/redis"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// reachableInterval is how soon the stand-in notices a lost game server; the real Takaro takes about 30 s.
const reachableInterval = 2 * time.Second

// outside is what an environment needs besides Kubernetes and Roadstead: Takaro, Redis, and a node that runs mock game
// servers.
type outside struct {
	takaro takaroSide
	// fake is the stand-in, nil with a real Takaro.
	fake   *takaro.Server
	redis  *redis.Server
	player *podplayer.Player
}

// Environment variables that bring a real Takaro.
const (
	envHost      = "TAKARO_HOST"
	envToken     = "ADMIN_CLIENT_SECRET"
	envConnector = "TAKARO_CONNECTOR"
)

// startOutside starts all of it. On an error what was started has been ended.
func startOutside(ctx context.Context, host *cluster.Cluster) (*outside, error) {
	o := &outside{}
	if err := o.start(ctx, host); err != nil {
		return nil, errors.Join(err, o.stop())
	}
	return o, nil
}

// startTakaro uses the Takaro that the environment names, else a stand-in.
func (o *outside) startTakaro(ctx context.Context, host *cluster.Cluster) error {
	url, token := os.Getenv(envHost), os.Getenv(envToken)
	if url == "" {
		o.fake = takaro.New(takaro.Options{Control: true, ConnectorListen: "127.0.0.1:0", ReachableInterval: reachableInterval})
		o.takaro = standIn{o.fake}
		return o.fake.Start()
	}
	if token == "" {
		return fmt.Errorf("%s needs %s, the admin token of that Takaro", envHost, envToken)
	}
	uid, _, err := host.Kubectl(ctx, "get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}")
	if err != nil {
		return err
	}
	o.takaro, err = newRealTakaro(url, os.Getenv(envConnector), token, types.UID(uid))
	return err
}

func (o *outside) start(ctx context.Context, host *cluster.Cluster) (err error) {
	if err := o.startTakaro(ctx, host); err != nil {
		return err
	}
	if o.redis, err = redis.Start(ctx); err != nil {
		return err
	}
	o.player, err = podplayer.Start(ctx, podplayer.Options{
		Config:     host.AdminConfig(),
		Behaviours: mockgameserver.Behaviours(mockgameserver.Options{}),
	})
	return err
}

// stop ends what was started.
func (o *outside) stop() error {
	var errs []error
	if o.player != nil {
		errs = append(errs, o.player.Stop())
	}
	if o.redis != nil {
		errs = append(errs, o.redis.Close())
	}
	if o.fake != nil {
		o.fake.Close()
	}
	return errors.Join(errs...)
}

// introduce says what runs outside of the cluster.
func (o *outside) introduce() {
	if o.fake == nil {
		say("Takaro is the real one at %s; a real Redis answers at %s", o.takaro.URL(), o.redis.Addr())
		return
	}
	say("A stand-in for Takaro answers at %s, its connector at %s, a real Redis at %s", o.takaro.URL(), o.takaro.ConnectorURL(), o.redis.Addr())
}
