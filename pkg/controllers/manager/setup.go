// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationv1client "k8s.io/client-go/kubernetes/typed/authentication/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/orphans"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/secrets/inuse"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domain"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/mockserver"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/user"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	"roadstead.dev/roadstead/pkg/util/apiaddresses"
)

// setup adds the controllers of every served group to the manager.
func (o *Options) setup(ctx context.Context, mgr ctrl.Manager) error {
	own, err := apiaddresses.New(mgr.GetConfig())
	if err != nil {
		return err
	}
	// The first refresh is synchronous, so that nothing has to wait for it later. Start repeats it
	// if it fails.
	if err := own.Refresh(ctx); err != nil {
		mgr.GetLogger().Error(err, "Looking up the addresses of the API server failed: until that succeeds, nothing outside the "+
			"cluster is connected to")
	}
	if err := mgr.Add(own); err != nil {
		return fmt.Errorf("addresses of the API server: %w", err)
	}
	if o.runs(groupTakaro) {
		if err := o.setupTakaro(ctx, mgr, own); err != nil {
			return err
		}
	}
	if o.runs(groupRelease) {
		if err := chartsource.AddIndexes(ctx, mgr.GetFieldIndexer()); err != nil {
			return fmt.Errorf("indexes of the group release: %w", err)
		}
		reviews, err := authenticationv1client.NewForConfig(mgr.GetConfig())
		if err != nil {
			return err
		}
		user, err := ownUser(ctx, reviews.SelfSubjectReviews())
		if err != nil {
			return err
		}
		if err := o.setupDecisions(ctx, mgr, user); err != nil {
			return err
		}
		if err := o.setupOperators(mgr, user, own); err != nil {
			return err
		}
	}
	o.countObjects(mgr.GetCache(), mgr.Elected())
	return nil
}

// setupTakaro adds the controllers of the group takaro.roadstead.dev, with their shared
// dependencies.
func (o *Options) setupTakaro(ctx context.Context, mgr ctrl.Manager, own *apiaddresses.Follower) error {
	namespaces := orphans.NewNamespaces(mgr.GetAPIReader(), clock.RealClock{})
	mgr = namespaces.Manager(mgr)
	installation, err := o.installation(ctx, mgr.GetAPIReader())
	if err != nil {
		return err
	}
	static, err := staticEndpoint()
	if err != nil {
		return err
	}
	// Use the cache itself, not the client, which reads Secrets and their metadata without the
	// cache.
	held := secrets.Within(mgr.GetCache(), o.usableNamespaces)
	reader := secrets.NewReader(held, secrets.Within(mgr.GetAPIReader(), o.usableNamespaces))
	protector := secrets.NewProtector(held, mgr.GetClient())
	owned := secrets.NewOwned(reader, mgr.GetClient())
	endpoints := endpoint.NewResolver(mgr.GetCache(), reader, o.Namespace, static)
	ports, err := mockserver.ParseRedisPorts(o.RedisPorts)
	if err != nil {
		return fmt.Errorf("--redis-ports: %w", err)
	}
	dial := o.dialPolicy(own.Addresses)
	pool := o.takaroPool(dial)
	keeper, err := takaroendpoint.Setup(mgr, takaroendpoint.Config{
		Namespace: o.Namespace, Installation: installation, Pool: pool, Endpoints: endpoints, Fenced: dial.BeforeWrite,
	})
	if err != nil {
		return fmt.Errorf("controller of TakaroEndpoints: %w", err)
	}
	shared := parts.Shared{
		Secrets:       owned,
		Protector:     protector,
		Endpoints:     endpoints,
		Pool:          pool,
		Keeper:        keeper,
		Namespace:     o.Namespace,
		ComparePeriod: o.TakaroComparePeriod,
		QPS:           o.TakaroQPS,
	}
	if err := domain.Setup(ctx, mgr, shared); err != nil {
		return fmt.Errorf("controller of Domains: %w", err)
	}
	if err := user.Setup(ctx, mgr, shared); err != nil {
		return fmt.Errorf("controller of Users: %w", err)
	}
	if err := mockserver.Setup(ctx, mgr, mockserver.Dependencies{
		Shared:           shared,
		Dial:             dial,
		RedisPorts:       ports,
		Image:            o.MockServerImage,
		UnreachableAfter: o.MockServerUnreachableAfter,
	}); err != nil {
		return fmt.Errorf("controller of MockServers: %w", err)
	}
	if err := mockserver.AddBundledRedis(mgr, dial, o.Namespace, o.BundledRedis); err != nil {
		return fmt.Errorf("bundled Redis: %w", err)
	}
	if err := inuse.Setup(mgr, held, protector,
		domain.SecretUser(mgr.GetCache()), user.SecretUser(mgr.GetCache()), mockserver.SecretUser(mgr.GetCache()),
	); err != nil {
		return fmt.Errorf("controller of Secrets in use: %w", err)
	}
	if err := orphans.Setup(mgr, orphans.Config{
		Kinds:      []client.ObjectList{&v1alpha1.DomainList{}, &v1alpha1.MockServerList{}, &v1alpha1.UserList{}},
		Namespaces: namespaces,
		Namespace:  o.Namespace,
		Wait:       o.OrphanSweepWait,
	}); err != nil {
		return fmt.Errorf("sweep of absent namespaces: %w", err)
	}
	return nil
}

// dialPolicy returns the policy for connections to Takaro, and to the Redis of its mock servers,
// which blocks addresses that a spec must not use. own returns the addresses of the cluster's API
// server. It is nil without a cluster.
func (o *Options) dialPolicy(own func() ([]netip.AddrPort, bool)) netguard.Policy {
	policy := netguard.Policy{
		Engine:        engineTakaro,
		AllowPrivate:  slices.Contains(o.AllowPrivate, engineTakaro),
		AllowLoopback: o.AllowLoopback,
		Own:           own,
	}
	if o.fence != nil {
		policy.BeforeWrite = o.fence.Check
	}
	return policy
}

// takaroPool returns the pool of Takaro clients.
func (o *Options) takaroPool(dial netguard.Policy) *takaro.Pool {
	return takaro.NewPool(takaro.Options{QPS: o.TakaroQPS, Burst: o.TakaroBurst, Dial: dial, Registerer: metrics.Registry})
}

// installation returns the name that is part of every generated reference.
func (o *Options) installation(ctx context.Context, live client.Reader) (string, error) {
	if o.Installation != "" {
		return o.Installation, nil
	}
	system := &corev1.Namespace{}
	if err := live.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err != nil {
		return "", errors.Join(errNoKubeSystem, err)
	}
	return domain.InstallationFor(system.UID), nil
}
