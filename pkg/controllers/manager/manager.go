// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	releasev1alpha1 "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/fence"
	"roadstead.dev/roadstead/pkg/controllers/base/servertime"
	"roadstead.dev/roadstead/pkg/controllers/takaro/mockserver"
	"roadstead.dev/roadstead/pkg/util/names"
)

// newScheme returns the kinds that controllers read and write, and enables protobuf for them.
func newScheme() (*runtime.Scheme, error) {
	kinds := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(kinds))
	utilruntime.Must(apiextensionsv1.AddToScheme(kinds))
	for _, add := range []func(*runtime.Scheme) error{takarov1alpha1.AddToScheme, releasev1alpha1.AddToScheme} {
		utilruntime.Must(add(kinds))
		if err := apiutil.AddToProtobufScheme(add); err != nil {
			return nil, fmt.Errorf("protobuf for our kinds: %w", err)
		}
	}
	return kinds, nil
}

// Run starts every controller and returns when ctx is canceled. The controllers run only while the
// process is the leader.
func (o *Options) Run(ctx context.Context) error {
	config, err := o.clientConfig()
	if err != nil {
		return err
	}
	kinds, err := newScheme()
	if err != nil {
		return err
	}
	o.serverTime = servertime.New(names.Domain)
	config.Wrap(o.serverTime.Wrap)
	if o.LeaderElection {
		o.fence = fence.New(Name, fence.LeaseDuration, clock.RealClock{})
		config.Wrap(o.fence.Wrap)
	}
	stop, err := serveStarting(o.MetricsBindAddress)
	if err != nil {
		return err
	}
	defer stop()
	lister, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	if o.usableNamespaces, err = usableSecretNamespaces(ctx, lister, o.Namespace, o.SecretNamespaces); err != nil {
		return err
	}
	checked := &health{fence: o.fence, longest: base.LongestRunning}
	mgr, err := ctrl.NewManager(config, o.managerOptions(kinds, checked))
	if err != nil {
		return fmt.Errorf("connecting to the cluster: %w", err)
	}
	checked.synced = mgr.GetCache().WaitForCacheSync
	served, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	if err := o.awaitGroups(ctx, served); err != nil {
		if ctx.Err() != nil {
			return nil // the process was stopped in the meantime
		}
		return err
	}
	if err := o.bindEpoch(ctx, mgr); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	if err := o.setup(ctx, mgr); err != nil {
		return err
	}
	stop()
	return mgr.Start(ctx)
}

func (o *Options) clientConfig() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig: %w", err)
	}
	// API Priority and Fairness of the API server limits the requests, not this process.
	config.QPS = -1
	return rest.AddUserAgent(config, Name), nil
}

// mockServers selects the workloads of mock game servers.
var mockServers = labels.NewSelector().Add(*must(labels.NewRequirement(mockserver.Label, selection.Exists, nil)))

func must[T any](value T, err error) T {
	utilruntime.Must(err)
	return value
}

func (o *Options) managerOptions(kinds *runtime.Scheme, checked *health) ctrl.Options {
	metrics := metricsserver.Options{BindAddress: "0"}
	if o.MetricsBindAddress != "" {
		// Metrics and health checks share a listener, because they have the same clients.
		metrics = metricsserver.Options{BindAddress: o.MetricsBindAddress, ExtraHandlers: checked.handlers()}
	}
	return ctrl.Options{
		Scheme:                        kinds,
		Metrics:                       metrics,
		HealthProbeBindAddress:        "0",
		LeaderElection:                o.LeaderElection,
		LeaderElectionID:              Name,
		LeaderElectionNamespace:       o.Namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 ptr.To(fence.LeaseDuration),
		Cache: cache.Options{
			DefaultTransform: stripped,
			// The cache contains only Roadstead's pods and StatefulSets, and only Secrets that may
			// be used.
			ByObject: map[client.Object]cache.ByObject{
				&corev1.Pod{}:         {Label: mockServers},
				&appsv1.StatefulSet{}: {Label: mockServers},
				&corev1.Secret{}:      secretCache(o.usableNamespaces),
			},
		},
		Client: client.Options{
			// Secret contents are read without the cache, which contains only their metadata.
			Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}},
		},
	}
}

var errNoKubeSystem = errors.New("namespace kube-system, whose UID names the installation, cannot be read: set --installation")
