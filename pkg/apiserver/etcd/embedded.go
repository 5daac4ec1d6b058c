// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

const (
	// startTimeout bounds the start: a member that cannot replay its log by then will not.
	startTimeout = 60 * time.Second
	// progressInterval is what consistent reads from the watch cache wait for at most.
	progressInterval = 5 * time.Second
	// quotaBytes is etcd's own recommendation for a small store; at 1 to 4 KB an object it holds several 100,000.
	quotaBytes = 2 << 30
)

// Server is a running embedded member.
type Server struct {
	member *embed.Etcd
	socket string
}

// Start runs a member with its data below dir, reachable only through a Unix socket of this process. It is ready when
// Start returns. The caller stops it after everything that reads or writes it.
func Start(ctx context.Context, dir, logLevel string) (*Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("embedded etcd: data folder: %w", err)
	}
	// Socket paths may have about 100 bytes, so they cannot live below an arbitrary data folder.
	sockets, err := os.MkdirTemp("", "roadstead-etcd-")
	if err != nil {
		return nil, fmt.Errorf("embedded etcd: socket folder: %w", err)
	}
	member, err := embed.StartEtcd(config(dir, sockets, logLevel))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("embedded etcd in %s: %w", dir, err), os.RemoveAll(sockets))
	}
	server := &Server{member: member, socket: sockets}
	select {
	case <-member.Server.ReadyNotify():
		return server, nil
	case err = <-member.Err():
	case <-time.After(startTimeout):
		err = fmt.Errorf("not ready after %s", startTimeout)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	server.Stop()
	return nil, fmt.Errorf("embedded etcd in %s: %w", dir, err)
}

func config(dir, sockets, logLevel string) *embed.Config {
	client := url.URL{Scheme: "unix", Path: filepath.Join(sockets, "client")}
	peer := url.URL{Scheme: "unix", Path: filepath.Join(sockets, "peer")}
	config := embed.NewConfig()
	config.Name = "roadstead"
	config.Dir = dir
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.WatchProgressNotifyInterval = progressInterval
	config.QuotaBackendBytes = quotaBytes
	config.LogLevel = logLevel
	config.EnableGRPCGateway = false
	return config
}

// Endpoint is the address for etcd clients in this process.
func (s *Server) Endpoint() string {
	return s.member.Config().AdvertiseClientUrls[0].String()
}

// Failed yields an error when the member stops by itself.
func (s *Server) Failed() <-chan error {
	return s.member.Err()
}

// Stop ends the member; what was acknowledged is on disk.
func (s *Server) Stop() {
	s.member.Close()
	// The folder held sockets only; leaving it would be untidy, not wrong.
	_ = os.RemoveAll(s.socket)
}
