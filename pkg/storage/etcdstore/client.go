// SPDX-License-Identifier: Apache-2.0

package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
	etcdfeature "k8s.io/apiserver/pkg/storage/feature"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/component-base/tracing"

	"roadstead.dev/roadstead/pkg/storage/epoch"
)

// Same values as for the etcd clients of the generic server: the first one bounds the time to
// connect. With the others a member that does not respond is abandoned within 40 seconds, and a
// member whose process ended immediately.
const (
	dialTimeout      = 20 * time.Second
	keepaliveTime    = 30 * time.Second
	keepaliveTimeout = 10 * time.Second
)

// Client is the client of one etcd for all resources.
type Client struct {
	etcd *clientv3.Client
	// kv reads and writes objects; watches use etcd.
	kv clientv3.KV
	// member reads and writes without any check.
	member    pb.KVClient
	timeline  *epoch.Timeline
	compactor interface {
		etcd3.Compactor
		Stop()
	}
	// sets are shared by all kinds, because most of their managedFields are equal.
	sets *sets
}

// Dial connects to the etcd of a configuration, and compacts it periodically. It returns an error
// if etcd does not respond within 20 seconds. The timeline checks every response except for those
// of Raw. member, if not nil, is the client of an etcd in this process, which is then called
// directly.
func Dial(ctx context.Context, config storagebackend.Config, member pb.KVClient, timeline *epoch.Timeline) (*Client, error) {
	settings := clientv3.Config{
		Context: context.WithoutCancel(ctx), Endpoints: config.Transport.ServerList,
		DialTimeout: dialTimeout, DialKeepAliveTime: keepaliveTime, DialKeepAliveTimeout: keepaliveTimeout,
		DialOptions: []grpc.DialOption{
			grpc.WithStatsHandler(otelgrpc.NewClientHandler(
				otelgrpc.WithPropagators(tracing.Propagators()), otelgrpc.WithTracerProvider(config.Transport.TracerProvider))),
			grpc.WithChainStreamInterceptor(timeline.StreamInterceptor()),
		},
	}
	if files := config.Transport; files.CertFile != "" || files.TrustedCAFile != "" {
		info := transport.TLSInfo{CertFile: files.CertFile, KeyFile: files.KeyFile, TrustedCAFile: files.TrustedCAFile}
		tls, err := info.ClientConfig()
		if err != nil {
			return nil, fmt.Errorf("etcd client certificate: %w", err)
		}
		settings.TLS = tls
	}
	etcd, err := clientv3.New(settings)
	if err != nil {
		return nil, fmt.Errorf("etcd client: %w", err)
	}
	if err := awaitConnection(ctx, etcd); err != nil {
		return nil, errors.Join(err, etcd.Close())
	}
	if member == nil {
		member = clientv3.RetryKVClient(etcd)
	}
	// It must be set before the client is used, so that no read is unchecked.
	etcd.KV = clientv3.NewKVFromKVClient(timeline.WithMarks(member), etcd)
	c := &Client{etcd: etcd, member: member, timeline: timeline, kv: etcd3.NewETCDLatencyTracker(etcd.KV), sets: newSets()}
	if config.CompactionInterval != 0 {
		c.compactor = etcd3.StartCompactorPerEndpoint(etcd, config.CompactionInterval)
	}
	// Required for serving consistent lists from the watch cache.
	etcdfeature.DefaultFeatureSupportChecker.CheckClient(etcd.Ctx(), etcd, storage.RequestWatchProgress)
	return c, nil
}

// awaitConnection waits until a member of etcd can be reached.
func awaitConnection(ctx context.Context, etcd *clientv3.Client) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	connection := etcd.ActiveConnection()
	for state := connection.GetState(); state != connectivity.Ready; state = connection.GetState() {
		if state == connectivity.Idle {
			connection.Connect()
		}
		if !connection.WaitForStateChange(ctx, state) {
			return fmt.Errorf("etcd at %v could not be reached within %s", etcd.Endpoints(), dialTimeout)
		}
	}
	return nil
}

// Etcd returns the client itself, for keys that are not objects.
func (c *Client) Etcd() *clientv3.Client { return c.etcd }

// Raw returns a client without checks, for the decision which store to use.
func (c *Client) Raw() clientv3.KV { return clientv3.NewKVFromKVClient(c.member, c.etcd) }

// Early returns a checked client that does not wait until the store is open to all callers.
func (c *Client) Early() clientv3.KV {
	return clientv3.NewKVFromKVClient(c.timeline.Early(c.member), c.etcd)
}

// Close closes the client. All storage that uses it must be destroyed before.
func (c *Client) Close() error {
	if c.compactor != nil {
		c.compactor.Stop()
	}
	return c.etcd.Close()
}

// view returns a client for one resource. It has a separate stream for watches, because etcd sends
// progress notifications only if all watches of a stream are up to date.
func (c *Client) view() *clientv3.Client {
	view := clientv3.NewCtxClient(c.etcd.Ctx())
	view.KV, view.Watcher = c.kv, clientv3.NewWatcher(c.etcd)
	view.Lease, view.Maintenance, view.Cluster = c.etcd.Lease, c.etcd.Maintenance, c.etcd.Cluster
	return view
}
