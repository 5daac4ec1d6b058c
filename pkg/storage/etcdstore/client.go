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

// What the generic server's own etcd clients have: the first bounds a connection's making; by the others a member that
// does not answer any more is left within 40 seconds, and one whose process ended at once.
const (
	dialTimeout      = 20 * time.Second
	keepaliveTime    = 30 * time.Second
	keepaliveTimeout = 10 * time.Second
)

// Client reaches one etcd for all resources.
type Client struct {
	etcd *clientv3.Client
	// kv is where reads and writes of objects go; watches go through etcd.
	kv clientv3.KV
	// member is the client of reads and writes below every check.
	member    pb.KVClient
	timeline  *epoch.Timeline
	compactor interface {
		etcd3.Compactor
		Stop()
	}
	// sets of fields are much the same for all kinds.
	sets *sets
}

// Dial connects to the etcd of a configuration, and compacts it from time to time. An etcd that does not answer within 20
// seconds is an error. Every answer but those of Raw is checked by the timeline. member, if not nil, is the client of an etcd
// in this process, which is then called directly.
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
	// It must be set before anything takes the client: what took it before would read unchecked.
	etcd.KV = clientv3.NewKVFromKVClient(timeline.WithMarks(member), etcd)
	c := &Client{etcd: etcd, member: member, timeline: timeline, kv: etcd3.NewETCDLatencyTracker(etcd.KV), sets: newSets()}
	if config.CompactionInterval != 0 {
		c.compactor = etcd3.StartCompactorPerEndpoint(etcd, config.CompactionInterval)
	}
	// Without it lists that must be fresh would not come from the watch cache.
	etcdfeature.DefaultFeatureSupportChecker.CheckClient(etcd.Ctx(), etcd, storage.RequestWatchProgress)
	return c, nil
}

// awaitConnection returns when some member of etcd can be reached.
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

// Etcd is the client itself, for what is no object.
func (c *Client) Etcd() *clientv3.Client { return c.etcd }

// Raw returns reads and writes that nothing checks, for who decides which store to use.
func (c *Client) Raw() clientv3.KV { return clientv3.NewKVFromKVClient(c.member, c.etcd) }

// Early returns checked reads and writes that do not wait until the store is open to all.
func (c *Client) Early() clientv3.KV {
	return clientv3.NewKVFromKVClient(c.timeline.Early(c.member), c.etcd)
}

// Close ends it. All storage that was made with it must be destroyed before.
func (c *Client) Close() error {
	if c.compactor != nil {
		c.compactor.Stop()
	}
	return c.etcd.Close()
}

// view is a client of one resource: it has a stream of its own for watches, since etcd tells of progress only when all
// watches of a stream have caught up.
func (c *Client) view() *clientv3.Client {
	view := clientv3.NewCtxClient(c.etcd.Ctx())
	view.KV, view.Watcher = c.kv, clientv3.NewWatcher(c.etcd)
	view.Lease, view.Maintenance, view.Cluster = c.etcd.Lease, c.etcd.Maintenance, c.etcd.Cluster
	return view
}
