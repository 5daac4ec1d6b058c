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
	// redisTimeout bounds one piece of work in Redis, however many keys there are.
	redisTimeout = 10 * time.Second
	// checkTimeout is how long a Redis of a spec may take to answer: its author chooses the address, and a worker waits.
	checkTimeout = 3 * time.Second
	// grantLife is how long a login that was made is believed to be there: a Redis without an ACL file forgets them when it
	// restarts.
	grantLife = time.Minute
	// scanCount is how many keys Redis looks at in one step.
	scanCount = 1000
)

// redisAccess makes logins and removes saved states, each with a connection of its own.
type redisAccess struct {
	clock clock.PassiveClock
	dial  netguard.Policy
	// ports are those that spec.redis may name.
	ports RedisPorts
	// namespace is where the Secret of the shared Redis is.
	namespace string

	mu      sync.Mutex
	granted map[string]grant
	// confined holds where the user of a mark was confined; see confine.
	confined map[string]string
}

// grant is a login that was made or found to work, by the hash of all that went into it.
type grant struct {
	hash string
	at   time.Time
}

func newRedisAccess(clock clock.PassiveClock, dial netguard.Policy, ports RedisPorts, namespace string) *redisAccess {
	return &redisAccess{clock: clock, dial: dial, ports: ports, namespace: namespace, granted: map[string]grant{},
		confined: map[string]string{}}
}

// check sees that a Redis answers and takes the login.
func (r *redisAccess) check(ctx context.Context, target redisTarget, mark string) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return r.once(ctx, target, mark, target.podSecret, func(ctx context.Context, client *redis.Client) error {
		err := client.Ping(ctx).Err()
		if redis.HasErrorPrefix(err, "NOPERM") {
			return nil // it is there, and knows the user
		}
		return err
	})
}

// once does something for the login of a MockServer, unless the same was done a moment ago.
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

// login sees that the Redis that a Secret describes takes the login in it.
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

// forget makes the next grant ask Redis again.
func (r *redisAccess) forget(mark string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.granted, mark)
	delete(r.confined, mark)
}

// reset removes the saved simulation of all game servers of a MockServer, and on demand their players.
func (r *redisAccess) reset(ctx context.Context, target redisTarget, mark string, players bool) error {
	return r.with(ctx, target, func(ctx context.Context, client *redis.Client) error {
		return removeKeys(ctx, client, mark, func(key string) bool { return resettable(key, players) })
	})
}

// resettable tells the keys that hold what the spec says from those that hold what happened.
func resettable(key string, players bool) bool {
	_, rest, _ := strings.Cut(strings.TrimPrefix(key, "gameserver:"), ":")
	return strings.HasPrefix(rest, "simulation:") || players && (rest == "players" || strings.HasPrefix(rest, "player:"))
}

// purge removes every key of a MockServer, and its user where we made one.
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

// connect dials and refuses to read what is not of the Redis protocol.
func (r *redisAccess) connect(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := r.dial.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &checkedConn{Conn: conn}, nil
}

// with runs do with a connection that is guarded against addresses that no spec may name.
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
