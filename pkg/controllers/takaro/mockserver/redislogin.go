// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/util/keeper"
)

const (
	// bundledPasswordVariable is the environment variable of the pod that contains the password.
	bundledPasswordVariable = "REDISCLI_AUTH"
	// loginAnnotation, on the pods of Redis, is the fingerprint of the login with which they were
	// started.
	loginAnnotation = "roadstead.dev/redis-login"
	// redisPeriod is the time between two checks of the bundled Redis.
	redisPeriod = 10 * time.Second
)

// RedisLogin restarts the bundled Redis when it rejects the login in the Secret that the
// StatefulSet refers to: Redis and its readiness probe read the Secret only when the pod starts. A
// Redis that accepts the login is never restarted. Without a StatefulSet RedisLogin does nothing.
type RedisLogin struct {
	// Set returns the StatefulSet of the bundled Redis, which the caller may modify, or nil.
	Set func() *appsv1.StatefulSet
	// Secrets reads a Secret only when it has changed.
	Secrets *secrets.Reader
	Writer  client.Writer
	// Login tries the login in a Secret.
	Login func(context.Context, *corev1.Secret) error

	// accepted is the fingerprint of the login that Redis is known to accept.
	accepted string
}

var (
	_ manager.Runnable               = &RedisLogin{}
	_ manager.LeaderElectionRunnable = &RedisLogin{}
)

// NeedLeaderElection implements manager.LeaderElectionRunnable. Only the leader restarts Redis.
func (r *RedisLogin) NeedLeaderElection() bool { return true }

// Start checks the login every ten seconds until ctx is canceled.
func (r *RedisLogin) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := r.follow(ctx); err != nil && ctx.Err() == nil {
			logf.FromContext(ctx).Error(err, "Comparing the bundled Redis with its login failed", "retryAfter", redisPeriod.String())
		}
	}, redisPeriod)
	return nil
}

// follow updates the pod template if the login changed.
func (r *RedisLogin) follow(ctx context.Context) error {
	set := r.Set()
	if set == nil {
		return nil
	}
	key := client.ObjectKey{Namespace: set.Namespace, Name: loginSecretOf(set)}
	if key.Name == "" {
		return nil // not the shipped StatefulSet
	}
	secret, err := r.Secrets.Get(ctx, key)
	if err != nil {
		return client.IgnoreNotFound(err) // the running pod continues with the values that it has read
	}
	login := bytes.Join([][]byte{secret.Data[redisKeyUsername], secret.Data[redisKeyPassword]}, []byte{0})
	fingerprint := keeper.Fingerprint(secret.Name, login)
	if fingerprint == r.accepted || set.Spec.Template.Annotations[loginAnnotation] == fingerprint {
		return nil
	}
	switch err := r.Login(ctx, secret); {
	case err == nil:
		r.accepted = fingerprint
		return nil
	case !redis.HasErrorPrefix(err, "WRONGPASS") && !redis.HasErrorPrefix(err, "NOAUTH"):
		return nil // Redis may be starting, and is checked again
	}
	if set.Spec.Template.Annotations == nil {
		set.Spec.Template.Annotations = map[string]string{}
	}
	set.Spec.Template.Annotations[loginAnnotation] = fingerprint
	if err := r.Writer.Update(ctx, set); err != nil {
		return fmt.Errorf("update StatefulSet %s/%s: %w", set.Namespace, set.Name, err)
	}
	logf.FromContext(ctx).Info("The bundled Redis restarts with the present login", "secret", key.String(), "fingerprint", fingerprint)
	return nil
}

// loginSecretOf returns the name of the Secret with the password of a StatefulSet of the bundled
// Redis, or "" if there is none.
func loginSecretOf(set *appsv1.StatefulSet) string {
	for i := range set.Spec.Template.Spec.Containers {
		for _, variable := range set.Spec.Template.Spec.Containers[i].Env {
			if from := variable.ValueFrom; variable.Name == bundledPasswordVariable && from != nil && from.SecretKeyRef != nil {
				return from.SecretKeyRef.Name
			}
		}
	}
	return ""
}
