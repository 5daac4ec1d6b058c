// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// RedisLabel is the label of the Secret in the installation's namespace that describes the shared
// Redis.
const RedisLabel = "roadstead.dev/redis"

// Keys of that Secret. port defaults to 6379. username and password are optional.
const (
	redisKeyHost     = "host"
	redisKeyPort     = "port"
	redisKeyUsername = "username"
	redisKeyPassword = "password"
	redisPort        = 6379
)

// redisTarget describes a Redis with the logins of the controller and of the pods.
type redisTarget struct {
	host     string
	port     int32
	username string
	password takaro.Secret
	shared   bool
	// from is the Secret that describes the Redis, for messages. It is "" if there is none.
	from        string
	podUsername string
	podPassword *v1alpha1.SecretKeyReference
	podSecret   takaro.Secret
}

// address returns the address of the Redis as "host:port".
func (t redisTarget) address() string { return net.JoinHostPort(t.host, strconv.Itoa(int(t.port))) }

// findRedis sets where the simulation is saved: in the Redis of the spec, used unchanged, or else
// in the shared one, with a login for this MockServer's pods; see grantRedis.
func (r *reconciler) findRedis(ctx context.Context, a *attempt) *base.Blocked {
	target, blocked := r.redisOf(ctx, a.server)
	if blocked != nil {
		return blocked
	}
	a.redis = target
	if !target.shared {
		return nil
	}
	own, err := r.Secrets.Find(ctx, a.server, secretName(a.server))
	if err != nil {
		return problem.Classify("looking at Secret "+secretName(a.server), err)
	}
	a.redis.podSecret = takaro.NewSecret(rand.Text())
	if own != nil && len(own.Data[redisKey]) > 0 {
		a.redis.podSecret = takaro.NewSecret(string(own.Data[redisKey]))
	}
	a.redis.podUsername = aclUser(markOf(a.server))
	a.redis.podPassword = &v1alpha1.SecretKeyReference{Name: secretName(a.server), Key: redisKey}
	return nil
}

// grantRedis creates the pods' login in the shared Redis, which can access only this MockServer's
// keys. A Redis of the spec is used unchanged, but it must be available: a mock server registers
// without Redis too, and Takaro would then reach a game server that simulates nothing.
func (r *reconciler) grantRedis(ctx context.Context, a *attempt) *base.Blocked {
	if !a.redis.shared {
		if err := r.redis.check(ctx, a.redis, markOf(a.server)); err != nil {
			return redisProblem("looking for the Redis of spec.redis", err)
		}
		return nil
	}
	if err := r.redis.grant(ctx, a.redis, markOf(a.server), a.redis.podSecret); err != nil {
		return redisProblem("making the login of this object in the shared Redis", err)
	}
	return nil
}

// redisOf returns the Redis of a MockServer, without the pods' login for a shared one.
func (r *reconciler) redisOf(ctx context.Context, server *v1alpha1.MockServer) (redisTarget, *base.Blocked) {
	typed := server.Spec.Redis
	if typed == nil {
		return r.sharedRedis(ctx)
	}
	target := redisTarget{host: typed.Host, port: ptr.Deref(typed.Port, redisPort), username: typed.Username, podUsername: typed.Username,
		podPassword: typed.PasswordSecretRef}
	if blocked := r.redis.ports.check(target.port); blocked != nil {
		return target, blocked
	}
	ref := typed.PasswordSecretRef
	if ref == nil {
		return target, nil
	}
	secret, err := r.Secrets.Get(ctx, types.NamespacedName{Namespace: server.Namespace, Name: ref.Name})
	if apierrors.IsNotFound(err) {
		return target, &base.Blocked{Reason: v1alpha1.ReasonSecretNotFound,
			Message: fmt.Sprintf("spec.redis.passwordSecretRef: Secret %q is not there; waiting for it", ref.Name)}
	}
	if err != nil {
		return target, problem.Classify("reading the password of Redis", err)
	}
	if len(secret.Data[ref.Key]) == 0 {
		return target, &base.Blocked{Reason: v1alpha1.ReasonSecretKeyMissing,
			Message: fmt.Sprintf("spec.redis.passwordSecretRef: Secret %q has no value under key %q; waiting for it", ref.Name, ref.Key)}
	}
	target.from = endpoint.SecretKey(server.Namespace, ref.Name, ref.Key)
	target.password = takaro.NewSecret(string(secret.Data[ref.Key]))
	target.podSecret = target.password
	return target, nil
}

// sharedRedis returns the installation's Redis. If there are several, it returns the first by name.
func (r *reconciler) sharedRedis(ctx context.Context) (redisTarget, *base.Blocked) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := r.Client.List(ctx, list, client.InNamespace(r.redis.namespace), client.MatchingLabels{RedisLabel: "true"}); err != nil {
		return redisTarget{}, problem.Classify("looking for the shared Redis", err)
	}
	slices.SortFunc(list.Items, func(a, b metav1.PartialObjectMetadata) int { return strings.Compare(a.Name, b.Name) })
	unusable := ""
	for i := range list.Items {
		secret, err := r.Secrets.Get(ctx, client.ObjectKeyFromObject(&list.Items[i]))
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return redisTarget{}, problem.Classify("reading the login of the shared Redis", err)
		}
		if target, ok := parseRedis(secret); ok {
			return target, nil
		}
		unusable = fmt.Sprintf("; Secret %q there has the label, but no host, or a port that is none", secret.Name)
	}
	return redisTarget{}, &base.Blocked{Reason: v1alpha1.ReasonRedisNotConfigured, Message: fmt.Sprintf(
		"there is no Redis for the simulation's state: name one in spec.redis, or ask the operators of this installation to add a "+
			"Secret labelled %s=true with host, port, username and password in namespace %s%s", RedisLabel, r.redis.namespace, unusable)}
}

// parseRedis parses the Secret of a shared Redis. It returns false if the Secret is invalid.
func parseRedis(secret *corev1.Secret) (redisTarget, bool) {
	value := func(key string) string { return strings.TrimSpace(string(secret.Data[key])) }
	port := int64(redisPort)
	if typed := value(redisKeyPort); typed != "" {
		var err error
		if port, err = strconv.ParseInt(typed, 10, 32); err != nil || port < 1 || port > 65535 {
			return redisTarget{}, false
		}
	}
	return redisTarget{host: value(redisKeyHost), port: int32(port), username: value(redisKeyUsername),
		password: takaro.NewSecret(value(redisKeyPassword)), shared: true,
		from: fmt.Sprintf("Secret \"%s/%s\"", secret.Namespace, secret.Name)}, value(redisKeyHost) != ""
}
