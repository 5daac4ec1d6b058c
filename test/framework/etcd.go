// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"

	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/process"
)

const (
	// etcdStart bounds the start of an etcd, which takes a fraction of a second on an idle machine.
	etcdStart = time.Minute
	// etcdStop is the time between SIGTERM and SIGKILL.
	etcdStop = 10 * time.Second
	// etcdPeer is the peer URL that every Etcd advertises and none serves. The ID of an etcd
	// cluster is a hash of the names, the peer URLs and the token.
	etcdPeer = "http://127.0.0.1:2380"
)

// Etcd is a single-member etcd in a separate process. It keeps its port and data across Stop and
// Start.
type Etcd struct {
	cluster *cluster.Cluster
	address string
	options process.Options
	process *process.Process
	client  *clientv3.Client
}

// StartEtcd starts an etcd with its data in dir, which may hold a copy of the data of another etcd,
// and returns when it serves. Etcds with the same token have the same cluster ID. The etcd is
// stopped by Stop or at the exit of the test process.
func StartEtcd(ctx context.Context, c *cluster.Cluster, dir, token string) (*Etcd, error) {
	tools, err := cluster.FindTools()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	port, err := c.ReservePort()
	if err != nil {
		return nil, err
	}
	peer, err := c.ReservePort()
	if err != nil {
		return nil, err
	}
	e := &Etcd{cluster: c, address: "127.0.0.1:" + port}
	e.options = process.Options{Program: filepath.Join(tools, cluster.Etcd), Dir: dir, Log: filepath.Join(dir, "log"), Args: []string{
		"--name=etcd", "--data-dir=" + dataOf(dir), "--listen-client-urls=" + e.URL(), "--advertise-client-urls=" + e.URL(),
		"--listen-peer-urls=http://127.0.0.1:" + peer, "--initial-advertise-peer-urls=" + etcdPeer,
		"--initial-cluster=etcd=" + etcdPeer, "--initial-cluster-token=" + token,
		"--unsafe-no-fsync", "--log-level=warn", "--heartbeat-interval=20", "--election-timeout=200",
	}}
	e.client, err = clientv3.New(clientv3.Config{Endpoints: []string{e.URL()}, DialTimeout: etcdStart})
	if err != nil {
		return nil, err
	}
	return e, e.Start(ctx)
}

func dataOf(dir string) string { return filepath.Join(dir, "data") }

// Address returns the "host:port" at which the etcd serves clients.
func (e *Etcd) Address() string { return e.address }

// URL returns the client URL, without TLS.
func (e *Etcd) URL() string { return "http://" + e.address }

// Client returns a client that connects to the etcd directly.
func (e *Etcd) Client() *clientv3.Client { return e.client }

// Start starts the etcd and returns when it serves.
func (e *Etcd) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, etcdStart)
	defer cancel()
	started, err := process.Start(e.options)
	if err != nil {
		return err
	}
	e.process = started
	ticker := time.NewTicker(25 * time.Millisecond)
	defer ticker.Stop()
	for !e.healthy(ctx) {
		select {
		case <-started.Done():
			return fmt.Errorf("etcd ended: %w; its log ends with:\n%s", started.Err(), process.Tail(e.options.Log, 15))
		case <-ctx.Done():
			return fmt.Errorf("etcd does not serve: %w; its log ends with:\n%s", ctx.Err(), process.Tail(e.options.Log, 15))
		case <-ticker.C:
		}
	}
	return nil
}

func (e *Etcd) healthy(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.URL()+"/health", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// Stop stops the etcd and returns when it has exited. It does nothing if the etcd has already
// exited.
func (e *Etcd) Stop() error { return e.process.Stop(etcdStop) }

// Copy starts another etcd with a copy of the data and the same cluster ID. The original is stopped
// during the copy.
func (e *Etcd) Copy(ctx context.Context, dir string) (*Etcd, error) {
	if err := e.Stop(); err != nil {
		return nil, err
	}
	if err := os.CopyFS(dataOf(dir), os.DirFS(dataOf(e.options.Dir))); err != nil {
		return nil, err
	}
	if err := e.Start(ctx); err != nil {
		return nil, err
	}
	return StartEtcd(ctx, e.cluster, dir, "")
}

// Position returns the revision and the ID of the etcd cluster.
func (e *Etcd) Position(ctx context.Context) (revision int64, id uint64, err error) {
	answer, err := e.client.Get(ctx, "any", clientv3.WithCountOnly())
	if err != nil {
		return 0, 0, err
	}
	return answer.Header.Revision, answer.Header.ClusterId, nil
}

// Grow increases the revision by count, with writes to keys outside Roadstead's prefix.
func (e *Etcd) Grow(ctx context.Context, count int) error {
	const writers = 50
	group, ctx := errgroup.WithContext(ctx)
	for writer := range writers {
		group.Go(func() error {
			for n := writer; n < count; n += writers {
				if _, err := e.client.Put(ctx, fmt.Sprintf("/grown/%d", writer), ""); err != nil {
					return fmt.Errorf("raise the revision: %w", err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}
