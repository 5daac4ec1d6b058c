// SPDX-License-Identifier: Apache-2.0

// Package world sets up the installation of a chaos run: a control plane, an etcd of three members,
// two of each of Roadstead's programs, Takaro, Redis, and a node whose pods are played, with a
// network link between each pair.
package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/wire"
	"roadstead.dev/roadstead/test/fakes/balancer"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/fakes/redis"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// Options configure a World.
type Options struct {
	// Dir is the work directory, which is not deleted. Required.
	Dir string
	// BinDir is the directory of Roadstead's programs. Required.
	BinDir string
	// Out receives the log.
	Out io.Writer
}

// replicas is the number of replicas of each of Roadstead's programs.
const replicas = 2

// World is the complete installation.
type World struct {
	Options
	Begin     time.Time
	Host      *cluster.Cluster
	Store     *cluster.EtcdCluster
	Roadstead *install.Installation
	// Takaro works unless a fault affects it. Failing fails until the end of the run.
	Takaro, Failing *takaro.Server
	Redis           *redis.Server
	// TakaroURL and ConnectorURL are URLs of Takaro, FailingURL is that of Failing.
	TakaroURL, ConnectorURL, FailingURL string

	Client  kubernetes.Interface
	Dynamic dynamic.Interface

	service     *balancer.Balancer
	clockJump   atomic.Int64
	fronted     int
	ends        []func() error
	mu          sync.Mutex
	links       map[string]*wire.Link
	servers     []*Kept
	controllers []*Kept
	wrong       wrongStores
	memory      memory
	// others are the foreign domains of the databases that Takaro does not currently serve.
	others map[string][]check.Planted
	losses losses
	// peaks are in bytes, by program.
	peaks map[string]int
}

// ControllerArgs shorten intervals, so that they elapse during a run.
var ControllerArgs = []string{"--takaro-compare-period=5s", "--takaro-qps=100", "--takaro-burst=100", "--mock-server-unreachable-after=15s",
	"--orphan-sweep-wait=20s"}

// Start sets up the world. The caller must call Stop even if Start returns an error.
func Start(ctx context.Context, options Options) (*World, error) {
	w := &World{Options: options, Begin: time.Now(), links: map[string]*wire.Link{}, peaks: map[string]int{}}
	for _, step := range []func(context.Context) error{w.startHost, w.startOutside, w.startRoadstead, w.configure, w.installGuard} {
		if err := step(ctx); err != nil {
			return w, err
		}
	}
	return w, nil
}

// Logf writes a log line with the time since the start of the run.
func (w *World) Logf(format string, args ...any) {
	_, _ = fmt.Fprintf(w.Out, "%7.1fs  %s\n", time.Since(w.Begin).Seconds(), fmt.Sprintf(format, args...))
}

func (w *World) end(stop func() error) { w.ends = append(w.ends, stop) }

// Stop ends everything that runs, in reverse order of the start.
func (w *World) Stop() error {
	var errs []error
	for _, end := range slices.Backward(w.ends) {
		errs = append(errs, end())
	}
	return errors.Join(errs...)
}

func (w *World) startHost(ctx context.Context) (err error) {
	if w.Host, err = cluster.Start(ctx, cluster.Options{Dir: filepath.Join(w.Dir, "cluster")}); err != nil {
		return err
	}
	w.end(w.Host.Stop)
	if w.Store, err = cluster.StartEtcd(ctx, cluster.Options{Dir: filepath.Join(w.Dir, "store")}); err != nil {
		return err
	}
	w.end(w.Store.Stop)
	w.end(w.stopLinks)
	if w.Client, err = kubernetes.NewForConfig(w.Host.AdminConfig()); err != nil {
		return err
	}
	config := w.Host.AdminConfig()
	config.Timeout, config.WarningHandler = requestLimit, rest.NoWarnings{}
	w.Dynamic, err = dynamic.NewForConfig(config)
	return err
}

// requestLimit is the timeout of requests of the run's own client.
const requestLimit = 10 * time.Second

// startRoadstead installs Roadstead's programs behind a Service.
func (w *World) startRoadstead(ctx context.Context) error {
	port, err := w.Host.ReservePort()
	if err != nil {
		return err
	}
	w.service, err = balancer.Start(balancer.Options{Address: net.JoinHostPort("127.0.0.1", port), Probe: install.Ready})
	if err != nil {
		return err
	}
	w.end(w.service.Stop)
	stores, err := w.storeArgs(0)
	if err != nil {
		return err
	}
	w.Roadstead, err = install.Install(ctx, install.Options{
		Cluster: w.Host, BinDir: w.BinDir, Dir: filepath.Join(w.Dir, "roadstead"), Front: front{w}, WithoutController: true,
		// A terminating server continues to serve until the Service has removed it.
		APIServerArgs:  append(slices.Concat(w.Store.ServerArgs(), stores), "--shutdown-delay-duration=3s"),
		ControllerArgs: ControllerArgs, Host: w.hostFor,
	})
	if err != nil {
		return err
	}
	w.end(w.Roadstead.Stop)
	w.servers = append(w.servers, &Kept{Program: w.Roadstead.APIServer()})
	for range replicas - 1 {
		if err := w.AddServer(ctx); err != nil {
			return err
		}
	}
	for range replicas {
		if err := w.AddController(ctx); err != nil {
			return err
		}
	}
	w.keepRunning()
	return nil
}

// startOutside starts the systems in which the controllers create objects.
func (w *World) startOutside(ctx context.Context) (err error) {
	if w.Redis, err = redis.Start(ctx); err != nil {
		return err
	}
	w.end(w.Redis.Close)
	w.Takaro = takaro.New(takaro.Options{
		ConnectorListen: "127.0.0.1:0", ReachableInterval: 500 * time.Millisecond, RequestTimeout: 2 * time.Second, PingInterval: 5 * time.Second,
		Latency: 5 * time.Millisecond, CreateLatency: 100 * time.Millisecond, Now: w.takaroNow,
	})
	w.Failing = takaro.New(takaro.Options{})
	for _, server := range []*takaro.Server{w.Takaro, w.Failing} {
		if err := server.Start(); err != nil {
			return err
		}
		w.end(func() error { server.Close(); return nil })
	}
	if _, err := w.Failing.InjectFault(takaro.Fault{Kind: takaro.FaultErrorBefore}); err != nil {
		return err
	}
	w.FailingURL = w.Failing.URL()
	if w.TakaroURL, err = w.through("controllers to Takaro", w.Takaro.URL()); err != nil {
		return err
	}
	if w.ConnectorURL, err = w.through("game servers to Takaro", w.Takaro.ConnectorURL()); err != nil {
		return err
	}
	return w.startPlayer(ctx)
}

func (w *World) takaroNow() time.Time { return time.Now().Add(time.Duration(w.clockJump.Load())) }

// JumpTakaroClock moves the clock of Takaro.
func (w *World) JumpTakaroClock(by time.Duration) { w.clockJump.Store(int64(by)) }

func (w *World) startPlayer(ctx context.Context) error {
	log, err := os.Create(filepath.Join(w.Dir, "pods.log"))
	if err != nil {
		return err
	}
	w.end(log.Close)
	// The player runs until the world stops; ctx is only for the setup.
	player, err := podplayer.Start(context.WithoutCancel(ctx), podplayer.Options{
		Config: w.Host.AdminConfig(), TimeScale: 0.1, Behaviours: behaviours(),
		Logf: func(format string, args ...any) { _, _ = fmt.Fprintf(log, format+"\n", args...) },
	})
	if err == nil {
		w.end(player.Stop)
	}
	return err
}
