// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apiserver/filters/gate"
	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/storage/etcd"
	"roadstead.dev/roadstead/pkg/storage/etcdstore"
	"roadstead.dev/roadstead/pkg/storage/identity"
)

// identityTimeout limits each call of the guard to kube-apiserver.
const identityTimeout = 5 * time.Second

// newGuard returns the guard that refuses resource requests until the store is known to be the one
// of this installation. The caller must run it. The server is not ready until then, nor while etcd
// has reached its quota.
func (o CompletedOptions) newGuard(
	config *genericapiserver.RecommendedConfig, timeline *epoch.Timeline, client *etcdstore.Client, entrance *gate.Gate, member *etcd.Server,
) (*identity.Guard, error) {
	own, err := newHost(identityClient(config.ClientConfig))
	if err != nil {
		return nil, err
	}
	settings := identity.Config{
		Client: own.client, Aggregator: own.aggregator,
		Raw: client.Raw(), Checked: client.Early(), Timeline: timeline, Prefix: StoragePrefix,
		Namespace: o.Namespace, APIServices: apiServices(config), Gate: entrance, Clock: clock.RealClock{},
	}
	if member != nil {
		if settings.Member, err = o.leaseHolder(); err != nil {
			return nil, err
		}
		settings.Renumber = func(ctx context.Context) error { return o.renumber(ctx, member) }
	}
	guard := identity.New(settings)
	config.AddReadyzChecks(
		healthz.NamedCheck(identity.CheckName, func(*http.Request) error { return guard.Ready() }),
		healthz.NamedCheck(etcd.QuotaCheck, etcd.CheckQuota(client.Etcd())),
	)
	return guard, nil
}

// identityClient returns a configuration whose calls do not share a connection with other clients.
// A connection of HTTP/2 is used for up to 45 seconds after kube-apiserver has stopped; one of
// HTTP/1.1 ends with the call that timed out.
func identityClient(from *rest.Config) *rest.Config {
	own := rest.CopyConfig(from)
	own.NextProtos, own.Timeout = []string{"http/1.1"}, identityTimeout
	return own
}

// leaseHolder returns the holder identity of this server. It contains the data folder, which only
// one server at a time uses.
func (o CompletedOptions) leaseHolder() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(o.DataDir)
	return host + ":" + dir, err
}

// renumber stops the embedded etcd and raises the revision of its data folder. The process then
// ends, because everything in it is connected to the stopped member.
func (o CompletedOptions) renumber(ctx context.Context, member *etcd.Server) error {
	klog.FromContext(ctx).Info("The embedded etcd stops, so that the revision of the accepted store can be raised. The server then restarts "+
		"then", "dataDir", o.DataDir)
	member.Stop()
	if err := etcd.Renumber(context.WithoutCancel(ctx), o.DataDir); err != nil {
		klog.FromContext(ctx).Error(err, "Failed to raise the revision of the store; the next start tries again")
	}
	klog.Flush()
	os.Exit(1)
	return nil
}
