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

// reachableInterval is how soon the stand-in notices a lost game server; the real Takaro takes about 30 s.
const reachableInterval = 2 * time.Second

// Environment variables that bring a real Takaro.
const (
	envHost      = "TAKARO_HOST"
	envToken     = "ADMIN_CLIENT_SECRET"
	envConnector = "TAKARO_CONNECTOR"
)

// Options say what Start starts.
type Options struct {
	// Alone takes the stand-ins, whatever the environment of this process names.
	Alone bool
	// TimeScale is that of the pod player.
	TimeScale float64
	// Logs is the folder for the logs of real mock game servers.
	Logs string
}

// Outside is all of it.
type Outside struct {
	// Takaro is the stand-in, or the real one that the environment names.
	Takaro Takaro
	// Fake is the stand-in, nil with a real Takaro.
	Fake *takaro.Server
	// Redis is a real one.
	Redis *redis.Server

	player *podplayer.Player
	// mock is the real mock game server, nil with the played one.
	mock *realMock
	// run is part of the e-mails that Fill writes: a real Takaro remembers e-mails with their first
	// passwords for ever, so that each run needs its own. Empty with the stand-in.
	run string
}

// MockServers is the folder of the real mock game server, empty with the played one.
func (o *Outside) MockServers() string {
	if o.mock == nil {
		return ""
	}
	return o.mock.dir
}

// Patience is how long an environment may take to be Ready: real programs on one machine take
// longer than played ones.
func (o *Outside) Patience() time.Duration {
	if o.Fake == nil || o.mock != nil {
		return 3 * time.Minute
	}
	return time.Minute
}

// Start starts all of it beside a running cluster. On an error what was started has been ended.
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

// startTakaro uses the Takaro that the environment names, else a stand-in.
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

// Stop ends what was started.
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

// sharedRedis tells the installation where its Redis is; in a real one its operators write it once. Of several such Secrets
// the first by name counts, so this one does, whatever a page tells its readers to make.
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

// ShareRedis writes the Secret by which the installation in the cluster finds Redis.
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
