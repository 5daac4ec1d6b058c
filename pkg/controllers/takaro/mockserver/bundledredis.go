// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
)

// BundledRedisSecret is the Secret with the login of the Redis that comes with the installation. Its pod waits for it.
const BundledRedisSecret = "roadstead-redis"

// lookEvery is between two looks into the cache whether the Secret is there.
const lookEvery = 10 * time.Second

// BundledRedis makes the login of the Redis that comes with the installation, with a random password, unless it is there. A
// chart cannot: it would make up another password each time that it is rendered.
type BundledRedis struct {
	// Cached reads the metadata of Secrets.
	Cached client.Reader
	Writer client.Writer
	// Namespace is the installation's, Host the name by which the controller and all pods reach Redis.
	Namespace, Host string
}

var (
	_ manager.Runnable               = &BundledRedis{}
	_ manager.LeaderElectionRunnable = &BundledRedis{}
)

// NeedLeaderElection says that one controller does it.
func (b *BundledRedis) NeedLeaderElection() bool { return true }

// Start sees to it until ctx ends.
func (b *BundledRedis) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := b.ensure(ctx); err != nil && ctx.Err() == nil {
			logf.FromContext(ctx).Error(err, "The login of the bundled Redis is missing; trying again", "after", lookEvery.String())
		}
	}, lookEvery)
	return nil
}

// ensure makes the Secret where there is none.
func (b *BundledRedis) ensure(ctx context.Context) error {
	there := secrets.Metadata()
	key := client.ObjectKey{Namespace: b.Namespace, Name: BundledRedisSecret}
	err := b.Cached.Get(ctx, key, there)
	if err == nil || !apierrors.IsNotFound(err) {
		return err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name,
			Labels: map[string]string{secrets.ManagedByLabel: secrets.ManagedByValue, RedisLabel: "true"}},
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{
			redisKeyHost: []byte(b.Host), redisKeyPort: []byte(strconv.Itoa(redisPort)),
			redisKeyUsername: []byte("default"), redisKeyPassword: []byte(rand.Text()),
		},
	}
	if err := b.Writer.Create(ctx, secret); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make Secret %s: %w", key, err)
	}
	return nil
}
