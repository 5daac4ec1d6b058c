// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// etcdMembers is the smallest number of members that tolerates the failure of one.
const etcdMembers = 3

// EtcdCluster is a dedicated store, as an installation with several replicas uses: three members
// with TLS for clients and between the members.
type EtcdCluster struct {
	opts    Options
	ports   *portBlock
	certs   *certs
	members []*Component

	mu sync.Mutex
	// others are the etcds of StartSingle and StartCopy.
	others []*Component
}

// StartEtcd starts an etcd cluster and returns when all members serve. It runs until Stop; ctx
// bounds only the start. Of the options, only Dir (required), ToolsDir and Logf are used.
func StartEtcd(ctx context.Context, opts Options) (*EtcdCluster, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if opts.Dir == "" {
		return nil, errors.New("cluster: StartEtcd needs Options.Dir")
	}
	opts.Minimal = true
	if _, err := opts.prepare(); err != nil {
		return nil, err
	}
	e := &EtcdCluster{opts: opts, ports: &portBlock{}}
	if err := e.bringUp(ctx); err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	return e, nil
}

func (e *EtcdCluster) bringUp(ctx context.Context) error {
	for _, dir := range []string{"certs", "logs"} {
		if err := os.MkdirAll(filepath.Join(e.opts.Dir, dir), 0o700); err != nil {
			return err
		}
	}
	ports, err := reservePorts()
	if err != nil {
		return err
	}
	e.ports = ports
	if err := e.writeCerts(); err != nil {
		return err
	}
	// The members start together because a single member is not healthy.
	group, ctx := errgroup.WithContext(ctx)
	for n := range etcdMembers {
		member := e.component(n, memberName(n), "--initial-cluster="+e.initialCluster())
		e.members = append(e.members, member)
		group.Go(func() error { return member.Start(ctx) })
	}
	return group.Wait()
}

// Each member uses three ports of the block.
func clientPort(n int) int { return 3 * n }
func peerPort(n int) int   { return 3*n + 1 }
func healthPort(n int) int { return 3*n + 2 }

func memberName(n int) string { return fmt.Sprintf("%s-%d", Etcd, n+1) }

// writeCerts creates one authority for clients and one for the members, as the etcd documentation
// recommends.
func (e *EtcdCluster) writeCerts() error {
	e.certs = &certs{dir: filepath.Join(e.opts.Dir, "certs")}
	clients, err := newCA("roadstead-test-etcd-ca")
	if err != nil {
		return err
	}
	peers, err := newCA("roadstead-test-etcd-peer-ca")
	if err != nil {
		return err
	}
	server, err := clients.server("etcd", "127.0.0.1", "localhost")
	if err != nil {
		return err
	}
	client, err := clients.client("roadstead-apiserver")
	if err != nil {
		return err
	}
	peer, err := peers.peer("etcd-peer", "127.0.0.1", "localhost")
	if err != nil {
		return err
	}
	for name, pair := range map[string]*keyPair{
		"etcd-ca": clients, "etcd-server": server, "etcd-client": client, "etcd-peer-ca": peers, "etcd-peer": peer,
	} {
		if err := e.certs.write(name, pair); err != nil {
			return err
		}
	}
	return nil
}

func (e *EtcdCluster) initialCluster() string {
	var all []string
	for n := range etcdMembers {
		all = append(all, memberName(n)+"="+e.peerURL(n))
	}
	return strings.Join(all, ",")
}

func (e *EtcdCluster) peerURL(n int) string { return "https://" + e.ports.address(peerPort(n)) }

func (e *EtcdCluster) data(name string) string { return filepath.Join(e.opts.Dir, "data", name) }

// component returns the member at index n, which is not started yet.
func (e *EtcdCluster) component(n int, name string, args ...string) *Component {
	health := "http://" + e.ports.address(healthPort(n)) + "/health"
	return &Component{
		name: name, program: filepath.Join(e.opts.ToolsDir, Etcd), args: append(e.args(n, name), args...), dir: e.opts.Dir,
		address: e.ports.address(clientPort(n)), options: &e.opts, check: getOK(http.DefaultClient, health),
	}
}

func (e *EtcdCluster) args(n int, name string) []string {
	client, peer := "https://"+e.ports.address(clientPort(n)), e.peerURL(n)
	return []string{
		"--name=" + name, "--data-dir=" + e.data(name),
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
		"--listen-metrics-urls=http://" + e.ports.address(healthPort(n)),
		"--cert-file=" + e.certs.crt("etcd-server"), "--key-file=" + e.certs.key("etcd-server"),
		"--client-cert-auth", "--trusted-ca-file=" + e.certs.crt("etcd-ca"),
		"--peer-cert-file=" + e.certs.crt("etcd-peer"), "--peer-key-file=" + e.certs.key("etcd-peer"),
		"--peer-client-cert-auth", "--peer-trusted-ca-file=" + e.certs.crt("etcd-peer-ca"),
		"--unsafe-no-fsync", "--log-level=warn",
	}
}

// Members returns the members, named etcd-1, etcd-2 and so on.
func (e *EtcdCluster) Members() []*Component { return e.members }

// URLs returns the client URLs of the members.
func (e *EtcdCluster) URLs() []string {
	var urls []string
	for _, member := range e.members {
		urls = append(urls, "https://"+member.Address())
	}
	return urls
}

// ClientFiles returns the paths of the CA certificate of the members and of a client certificate
// and key that the members accept.
func (e *EtcdCluster) ClientFiles() (ca, cert, key string) {
	return e.certs.crt("etcd-ca"), e.certs.crt("etcd-client"), e.certs.key("etcd-client")
}

// ServerArgs returns the flags that make an API server use this etcd cluster.
func (e *EtcdCluster) ServerArgs() []string {
	ca, cert, key := e.ClientFiles()
	return []string{"--etcd-servers=" + strings.Join(e.URLs(), ","), "--etcd-cafile=" + ca, "--etcd-certfile=" + cert, "--etcd-keyfile=" + key}
}

// Stop stops all members and returns when they have exited. It can be called more than once.
func (e *EtcdCluster) Stop() error {
	var group errgroup.Group
	e.mu.Lock()
	all := slices.Concat(e.members, e.others)
	e.mu.Unlock()
	for _, member := range all {
		group.Go(member.Stop)
	}
	err := group.Wait()
	e.ports.release()
	return err
}
