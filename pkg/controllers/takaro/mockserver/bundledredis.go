// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/util/keeper"
	"roadstead.dev/roadstead/pkg/util/names"
)

// BundledRedisSecret is the name of the Secret with the login of the Redis that is part of the
// installation. The Redis pod starts once the Secret exists.
const BundledRedisSecret = names.Redis

// BundledRedis generates the login of the Redis that is part of the installation, with a random
// password, unless the Secret exists. A Helm chart would generate another password each time it is
// rendered. A login that was deleted or damaged is restored from memory. A login that an
// administrator changed is kept; see RedisLogin.
type BundledRedis struct {
	keeper *keeper.Keeper
}

var (
	_ manager.Runnable               = &BundledRedis{}
	_ manager.LeaderElectionRunnable = &BundledRedis{}
)

// AddBundledRedis adds the runnables for the bundled Redis to a manager: its login, if host is not
// empty, its restart when the login changes, and its NetworkPolicy.
func AddBundledRedis(mgr manager.Manager, dial netguard.Policy, namespace, host string) error {
	clientset, err := kubernetes.NewForConfig(mgr.GetConfig())
	if err != nil {
		return err
	}
	set, watch := watchBundledRedis(clientset, namespace)
	access := newRedisAccess(clock.RealClock{}, dial, RedisPorts{}, namespace)
	runnables := []manager.Runnable{
		watch,
		&RedisLogin{Set: set, Secrets: secrets.NewReader(mgr.GetCache(), mgr.GetAPIReader()), Writer: mgr.GetClient(), Login: access.login},
		&RedisPolicy{Set: set, Cached: mgr.GetCache(), Live: mgr.GetAPIReader(), Writer: mgr.GetClient(), Clock: clock.RealClock{}},
	}
	if host != "" {
		runnables = append(runnables, NewBundledRedis(clientset, namespace, host))
	}
	for _, runnable := range runnables {
		if err := mgr.Add(runnable); err != nil {
			return err
		}
	}
	return nil
}

// watchBundledRedis returns a function that reads the StatefulSet of the bundled Redis, which
// returns nil if there is none, and the runnable that watches it. The cache of the manager contains
// only the StatefulSets of MockServers.
func watchBundledRedis(clientset kubernetes.Interface, namespace string) (get func() *appsv1.StatefulSet, follow manager.Runnable) {
	factory := informers.NewSharedInformerFactoryWithOptions(clientset, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, names.Redis).String()
		}))
	sets := factory.Apps().V1().StatefulSets()
	lister := sets.Lister()
	get = func() *appsv1.StatefulSet {
		set, err := lister.StatefulSets(namespace).Get(names.Redis)
		if err != nil {
			return nil // a lister returns no error other than NotFound
		}
		return set.DeepCopy()
	}
	return get, manager.RunnableFunc(func(ctx context.Context) error {
		sets.Informer().RunWithContext(ctx)
		return nil
	})
}

// NewBundledRedis returns the keeper of the login in the installation's namespace. host is the DNS
// name at which the controller and all pods reach Redis.
func NewBundledRedis(writer kubernetes.Interface, namespace, host string) *BundledRedis {
	// A lost login can be replaced, so no persistent record is needed.
	return &BundledRedis{keeper: keeper.New(keeper.Spec{
		Name: BundledRedisSecret, Controller: "roadstead.dev/controller", Single: true,
		Labels: map[string]string{secrets.ManagedByLabel: secrets.ManagedByValue, RedisLabel: "true"},
		Generate: func() ([][]byte, error) {
			value, err := json.Marshal(map[string][]byte{
				redisKeyHost: []byte(host), redisKeyPort: []byte(strconv.Itoa(redisPort)),
				redisKeyUsername: []byte("default"), redisKeyPassword: []byte(rand.Text()),
			})
			return [][]byte{value}, err
		},
		Parse:  parseBundled,
		Render: renderBundled,
		// Any valid login is accepted: an administrator rotates the login by changing the Secret.
		Required: func(_ context.Context, present, _ [][]byte) (keeper.Required, error) {
			return keeper.Required{Only: len(present) > 0}, nil
		},
		// Redis and all pods follow the Secret.
		Dependents: func(context.Context) (bool, error) { return false, nil },
		Loss:       "Or delete it: a new one is generated, and Redis is restarted.",
	}, writer, namespace, &keeper.ProcessRecord{})}
}

// NeedLeaderElection implements manager.LeaderElectionRunnable. Only the leader maintains the
// Secret.
func (b *BundledRedis) NeedLeaderElection() bool { return true }

// Start maintains the Secret until ctx is canceled.
func (b *BundledRedis) Start(ctx context.Context) error {
	b.keeper.Run(ctx, func(context.Context, [][]byte) error { return nil })
	return nil
}

// bundledKeys are the keys of the Secret that form a login.
var bundledKeys = []string{redisKeyHost, redisKeyPort, redisKeyUsername, redisKeyPassword}

// parseBundled returns the values of the login in the order of bundledKeys.
func parseBundled(secret *corev1.Secret) ([][]byte, error) {
	if _, usable := parseRedis(secret); !usable {
		return nil, errors.New("it has no host, or an invalid port")
	}
	login := map[string][]byte{}
	for _, key := range bundledKeys {
		if len(secret.Data[key]) > 0 {
			login[key] = secret.Data[key]
		}
	}
	for _, key := range []string{redisKeyUsername, redisKeyPassword} {
		if login[key] == nil {
			return nil, fmt.Errorf("key %q is missing", key)
		}
	}
	value, err := json.Marshal(login)
	return [][]byte{value}, err
}

// renderBundled returns the Secret data for the values that parseBundled returned.
func renderBundled(values [][]byte) map[string][]byte {
	login := map[string][]byte{}
	if err := json.Unmarshal(values[0], &login); err != nil {
		panic(fmt.Sprintf("a login that was not encoded by this package: %v", err))
	}
	return login
}
