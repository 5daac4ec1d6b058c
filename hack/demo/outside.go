// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"time"

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
	takaro *takaro.Server
	redis  *redis.Server
	player *podplayer.Player
}

// startOutside starts all of it. On an error what was started has been ended.
func startOutside(ctx context.Context, host *cluster.Cluster) (*outside, error) {
	o := &outside{takaro: takaro.New(takaro.Options{Control: true, ConnectorListen: "127.0.0.1:0", ReachableInterval: reachableInterval})}
	if err := o.start(ctx, host); err != nil {
		return nil, errors.Join(err, o.stop())
	}
	return o, nil
}

func (o *outside) start(ctx context.Context, host *cluster.Cluster) (err error) {
	if err := o.takaro.Start(); err != nil {
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
	o.takaro.Close()
	return errors.Join(errs...)
}
