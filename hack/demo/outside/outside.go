// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/test/fakes/mockgameserver"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/fakes/redis"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// reachableInterval is how soon the stand-in detects a lost game server. The real Takaro takes
// about 30 s.
const reachableInterval = 2 * time.Second

// Environment variables that select a real Takaro.
const (
	envHost      = "TAKARO_HOST"
	envToken     = "ADMIN_CLIENT_SECRET"
	envConnector = "TAKARO_CONNECTOR"
)

// Options configure Start.
type Options struct {
	// Alone uses the stand-ins regardless of the environment variables.
	Alone bool
	// TimeScale is the time scale of the pod player.
	TimeScale float64
	// Logs is the directory for the logs of real mock game servers.
	Logs string
}

// Outside contains the systems outside of the cluster.
type Outside struct {
	// Takaro is the stand-in, or the real one that the environment variables select.
	Takaro Takaro
	// Fake is the stand-in, or nil with a real Takaro.
	Fake *takaro.Server
	// Redis is a real Redis server.
	Redis *redis.Server

	player *podplayer.Player
	// mock is the real mock game server, or nil if it is simulated.
	mock *realMock
	// run is part of the e-mails that Fill writes. A real Takaro stores e-mails with their first
	// passwords permanently, so that each run needs different ones. It is empty with the stand-in.
	run string
}

// MockServers returns the directory of the real mock game server, or "" if it is simulated.
func (o *Outside) MockServers() string {
	if o.mock == nil {
		return ""
	}
	return o.mock.dir
}

// Patience returns how long an environment may take to be Ready. Real programs on one machine take
// longer than simulated ones.
func (o *Outside) Patience() time.Duration {
	if o.Fake == nil || o.mock != nil {
		return 3 * time.Minute
	}
	return time.Minute
}

// Start starts everything for a running cluster. If it returns an error, everything that was
// started has been stopped.
func Start(ctx context.Context, host *cluster.Cluster, options Options) (*Outside, error) {
	o := &Outside{}
	if err := o.start(ctx, host, options); err != nil {
		return nil, errors.Join(err, o.Stop())
	}
	return o, nil
}

func (o *Outside) start(ctx context.Context, host *cluster.Cluster, options Options) (err error) {
	if err := o.startTakaro(ctx, host, options); err != nil {
		return err
	}
	if o.Redis, err = redis.Start(ctx); err != nil {
		return err
	}
	behaviours := mockgameserver.Behaviours(mockgameserver.Options{})
	if dir := os.Getenv(envMockServer); dir != "" && !options.Alone {
		if o.mock, err = newRealMock(dir, options.Logs); err != nil {
			return err
		}
		behaviours = o.mock.behaviours()
	}
	o.player, err = podplayer.Start(ctx, podplayer.Options{Config: host.AdminConfig(), Behaviours: behaviours, TimeScale: options.TimeScale})
	return err
}

// startTakaro uses the Takaro that the environment variables select, or else a stand-in.
func (o *Outside) startTakaro(ctx context.Context, host *cluster.Cluster, options Options) error {
	url, token := os.Getenv(envHost), os.Getenv(envToken)
	if url == "" || options.Alone {
		o.Fake = takaro.New(takaro.Options{Control: true, ConnectorListen: "127.0.0.1:0", ReachableInterval: reachableInterval})
		o.Takaro = standIn{o.Fake}
		return o.Fake.Start()
	}
	if token == "" {
		return fmt.Errorf("%s needs %s, the admin token of that Takaro", envHost, envToken)
	}
	uid, _, err := host.Kubectl(ctx, "get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}")
	if err != nil {
		return err
	}
	o.run, _, _ = strings.Cut(uid, "-")
	o.Takaro, err = newRealTakaro(url, os.Getenv(envConnector), token, types.UID(uid))
	return err
}

// Stop stops everything that was started.
func (o *Outside) Stop() error {
	var errs []error
	if o.player != nil {
		errs = append(errs, o.player.Stop())
	}
	if o.Redis != nil {
		errs = append(errs, o.Redis.Close())
	}
	if o.Fake != nil {
		o.Fake.Close()
	}
	return errors.Join(errs...)
}

// sharedRedis is the Secret with the address of the installation's Redis, which administrators
// create once in a real installation. Of several such Secrets the first by name is used, so that
// this one takes precedence over the ones that the pages describe.
const sharedRedis = `apiVersion: v1
kind: Secret
metadata:
  name: demo-redis
  namespace: %s
  labels:
    roadstead.dev/redis: "true"
stringData:
  host: %s
  port: "%d"
  username: default
  password: %s
`

// ShareRedis creates the Secret with which the installation in the cluster finds Redis.
func (o *Outside) ShareRedis(ctx context.Context, host *cluster.Cluster) error {
	secret := fmt.Sprintf(sharedRedis, install.Namespace, o.Redis.Host, o.Redis.Port, o.Redis.Password)
	if _, _, err := host.KubectlAs(host.Kubeconfig()).WithStdin(strings.NewReader(secret)).Run(ctx, "apply", "-f", "-"); err != nil {
		return fmt.Errorf("writing the Secret of the shared Redis: %w", err)
	}
	return nil
}

// Fill returns a shipped example with the addresses and the token of this Takaro, and with e-mails
// of this run.
func (o *Outside) Fill(example string) string {
	connector := o.Takaro.ConnectorURL()
	if connector != "" {
		connector = "  connectorUrl: " + connector + "\n"
	}
	domain := "@example.com"
	if o.run != "" {
		domain = "-" + o.run + domain
	}
	return strings.NewReplacer(
		"@example.com", domain,
		"https://api.takaro.example", o.Takaro.URL(),
		"  connectorUrl: wss://connect.takaro.example\n", connector,
		"replace-me", o.Takaro.AdminToken(),
	).Replace(example)
}
