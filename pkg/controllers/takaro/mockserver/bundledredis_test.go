// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/util/keeper"
	"roadstead.dev/roadstead/pkg/util/names"
)

// bundled is a cluster in which a controller maintains the login of the bundled Redis.
type bundled struct {
	*testing.T
	client *fake.Clientset
	login  *BundledRedis
}

func newBundled(t *testing.T, objects ...runtime.Object) *bundled {
	t.Helper()
	client := fake.NewClientset(objects...)
	return &bundled{T: t, client: client, login: NewBundledRedis(client, systemSpace, "redis.svc")}
}

// kept returns the Secret after the controller reconciled it.
func (b *bundled) kept() *corev1.Secret {
	b.Helper()
	_, err := b.login.keeper.Get(b.Context())
	require.NoError(b, err)
	return b.secret()
}

func (b *bundled) secret() *corev1.Secret {
	b.Helper()
	secret, err := b.client.CoreV1().Secrets(systemSpace).Get(b.Context(), BundledRedisSecret, metav1.GetOptions{})
	require.NoError(b, err)
	return secret
}

func (b *bundled) delete() {
	b.Helper()
	require.NoError(b, b.client.CoreV1().Secrets(systemSpace).Delete(b.Context(), BundledRedisSecret, metav1.DeleteOptions{}))
}

func (b *bundled) update(secret *corev1.Secret) {
	b.Helper()
	_, err := b.client.CoreV1().Secrets(systemSpace).Update(b.Context(), secret, metav1.UpdateOptions{})
	require.NoError(b, err)
}

func TestBundledRedisIsGenerated(t *testing.T) {
	secret := newBundled(t).kept()
	target, usable := parseRedis(secret)
	require.True(t, usable)
	assert.Equal(t, "redis.svc:6379", target.address())
	assert.Equal(t, "default", target.username)
	assert.GreaterOrEqual(t, len(secret.Data[redisKeyPassword]), 20)
	assert.Equal(t, map[string]string{RedisLabel: "true", secrets.ManagedByLabel: secrets.ManagedByValue}, secret.Labels)
}

func TestBundledRedisIsRestored(t *testing.T) {
	for name, lose := range map[string]func(*bundled, *corev1.Secret){
		"deleted": func(b *bundled, _ *corev1.Secret) { b.delete() },
		"without password": func(b *bundled, secret *corev1.Secret) {
			delete(secret.Data, redisKeyPassword)
			b.update(secret)
		},
		"emptied": func(b *bundled, secret *corev1.Secret) {
			secret.Data = nil
			b.update(secret)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBundled(t)
			before := b.kept()
			lose(b, before.DeepCopy())
			after := b.kept()
			assert.Equal(t, before.Data, after.Data)
			assert.Equal(t, before.Labels, after.Labels)
		})
	}
}

// The controller detects that the Secret was deleted.
func TestBundledRedisFollowsItsSecret(t *testing.T) {
	b := newBundled(t)
	before := b.kept()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.login.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	b.delete()
	require.Eventually(t, func() bool {
		_, err := b.client.CoreV1().Secrets(systemSpace).Get(t.Context(), BundledRedisSecret, metav1.GetOptions{})
		return err == nil
	}, 20*time.Second, 5*time.Millisecond)
	assert.Equal(t, before.Data, b.secret().Data)
}

// A login that an administrator changed is kept, and is the one that is restored.
func TestBundledRedisKeepsARotatedLogin(t *testing.T) {
	b := newBundled(t)
	secret := b.kept().DeepCopy()
	rotated := maps.Clone(secret.Data)
	rotated[redisKeyPassword] = []byte("of-the-administrator")
	secret.Data = rotated
	b.update(secret)
	assert.Equal(t, rotated, b.kept().Data)
	b.delete()
	assert.Equal(t, rotated, b.kept().Data)
}

// A Secret without a valid login is not overwritten while no login is known, because an
// administrator may be about to complete it.
func TestBundledRedisLeavesWhatSomebodyElseCreated(t *testing.T) {
	b := newBundled(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: systemSpace, Name: BundledRedisSecret}})
	_, err := b.login.keeper.Get(t.Context())
	var refused *keeper.RefusedError
	require.ErrorAs(t, err, &refused)
	assert.Empty(t, b.secret().Data)
}

// bundledSet returns a function that reads the StatefulSet of a cluster.
func bundledSet(t *testing.T, c client.Client) func() *appsv1.StatefulSet {
	return func() *appsv1.StatefulSet {
		t.Helper()
		set := &appsv1.StatefulSet{}
		err := c.Get(t.Context(), client.ObjectKey{Namespace: systemSpace, Name: names.Redis}, set)
		if apierrors.IsNotFound(err) {
			return nil
		}
		require.NoError(t, err)
		return set
	}
}

func TestWatchBundledRedis(t *testing.T) {
	clientset := fake.NewClientset()
	get, follow := watchBundledRedis(clientset, systemSpace)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- follow.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	assert.Nil(t, get())
	set := shipped[appsv1.StatefulSet](t, "redis/statefulset.yaml")
	_, err := clientset.AppsV1().StatefulSets(systemSpace).Create(t.Context(), set, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return get() != nil }, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, clientset.AppsV1().StatefulSets(systemSpace).Delete(t.Context(), set.Name, metav1.DeleteOptions{}))
	require.Eventually(t, func() bool { return get() == nil }, 20*time.Second, 5*time.Millisecond)
}
