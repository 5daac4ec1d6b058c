// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const (
	// redisTimeout is the maximum duration of one operation in Redis, regardless of the number of
	// keys.
	redisTimeout = 10 * time.Second
	// checkTimeout is the maximum time to connect to the Redis of a spec. A user chooses the
	// address, and a worker is blocked in the meantime.
	checkTimeout = 3 * time.Second
	// grantLife is how long a created login is assumed to exist. A Redis without an ACL file loses
	// its users when it restarts.
	grantLife = time.Minute
	// scanCount is the number of keys that Redis checks in one step.
	scanCount = 1000
)

// redisAccess creates logins and removes saved states. It uses a separate connection for each
// operation.
type redisAccess struct {
	clock clock.PassiveClock
	dial  netguard.Policy
	// ports are the ports that spec.redis may use.
	ports RedisPorts
	// namespace is the namespace of the Secret of the shared Redis.
	namespace string

	mu      sync.Mutex
	granted map[string]grant
	// confined records in which Redis the user of a mark was restricted; see confine.
	confined map[string]string
}

// grant is a login that was created or found to work. It contains the hash of all its inputs.
type grant struct {
	hash string
	at   time.Time
}

func newRedisAccess(clock clock.PassiveClock, dial netguard.Policy, ports RedisPorts, namespace string) *redisAccess {
	return &redisAccess{clock: clock, dial: dial, ports: ports, namespace: namespace, granted: map[string]grant{},
		confined: map[string]string{}}
}

// check verifies that a Redis responds and accepts the login.
func (r *redisAccess) check(ctx context.Context, target redisTarget, mark string) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return r.once(ctx, target, mark, target.podSecret, func(ctx context.Context, client *redis.Client) error {
		err := client.Ping(ctx).Err()
		if redis.HasErrorPrefix(err, "NOPERM") {
			return nil // Redis responds, and the user exists
		}
		return err
	})
}

// once calls a function for the login of a MockServer, unless that was done recently with the same
// inputs.
func (r *redisAccess) once(ctx context.Context, target redisTarget, mark string, password takaro.Secret, do func(context.Context,
	*redis.Client) error) error {
	hash := hashOf([]string{target.host, strconv.Itoa(int(target.port)), target.username, target.password.Reveal(), password.Reveal()})
	r.mu.Lock()
	last := r.granted[mark]
	r.mu.Unlock()
	if last.hash == hash && r.clock.Since(last.at) < grantLife {
		return nil
	}
	if err := r.with(ctx, target, do); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.granted[mark] = grant{hash: hash, at: r.clock.Now()}
	return nil
}

// login verifies that the Redis that a Secret describes accepts the login in the Secret.
func (r *redisAccess) login(ctx context.Context, secret *corev1.Secret) error {
	target, usable := parseRedis(secret)
	if !usable {
		return fmt.Errorf("no Redis is described by Secret %q", secret.Name)
	}
	return r.with(ctx, target, func(ctx context.Context, client *redis.Client) error { return client.Ping(ctx).Err() })
}

// users returns the names of all users of a Redis.
func (r *redisAccess) users(ctx context.Context, target redisTarget) (names []string, err error) {
	err = r.with(ctx, target, func(ctx context.Context, client *redis.Client) error {
		names, err = client.ACLUsers(ctx).Result()
		return err
	})
	return names, err
}

// forget removes the cached login, so that the next grant queries Redis again.
func (r *redisAccess) forget(mark string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.granted, mark)
	delete(r.confined, mark)
}

// reset removes the saved simulation of all game servers of a MockServer, and optionally their
// players.
func (r *redisAccess) reset(ctx context.Context, target redisTarget, mark string, players bool) error {
	return r.with(ctx, target, func(ctx context.Context, client *redis.Client) error {
		return removeKeys(ctx, client, mark, func(key string) bool { return resettable(key, players) })
	})
}

// resettable reports whether a key holds state from the spec, in contrast to state that results
// from events.
func resettable(key string, players bool) bool {
	_, rest, _ := strings.Cut(strings.TrimPrefix(key, "gameserver:"), ":")
	return strings.HasPrefix(rest, "simulation:") || players && (rest == "players" || strings.HasPrefix(rest, "player:"))
}

// purge removes every key of a MockServer, and its user if Roadstead created one.
func (r *redisAccess) purge(ctx context.Context, target redisTarget, mark string) error {
	r.forget(mark)
	return r.with(ctx, target, func(ctx context.Context, client *redis.Client) error {
		if target.shared {
			if err := client.ACLDelUser(ctx, aclUser(mark)).Err(); err != nil {
				return err
			}
		}
		return removeKeys(ctx, client, mark, func(string) bool { return true })
	})
}

func removeKeys(ctx context.Context, client *redis.Client, mark string, wanted func(string) bool) error {
	var cursor uint64
	for {
		keys, next, err := client.Scan(ctx, cursor, keyPattern(mark), scanCount).Result()
		if err != nil {
			return err
		}
		keys = slices.DeleteFunc(keys, func(key string) bool { return !wanted(key) })
		if len(keys) > 0 {
			if err := client.Unlink(ctx, keys...).Err(); err != nil {
				return err
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// connect dials, and returns a connection that rejects data that does not conform to the Redis
// protocol.
func (r *redisAccess) connect(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := r.dial.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &checkedConn{Conn: conn}, nil
}

// with calls do with a connection that blocks addresses that a spec must not use.
func (r *redisAccess) with(ctx context.Context, target redisTarget, do func(context.Context, *redis.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, redisTimeout)
	defer cancel()
	client := redis.NewClient(&redis.Options{
		Addr: target.address(), Username: target.username, Password: target.password.Reveal(), Dialer: r.connect,
		MaxRetries: -1, DialerRetries: 1, PoolSize: 1, DisableIdentity: true, ContextTimeoutEnabled: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	defer func() { _ = client.Close() }()
	if err := do(ctx, client); err != nil {
		return &redisError{address: target.address(), from: target.from, shared: target.shared, err: err}
	}
	return nil
}
