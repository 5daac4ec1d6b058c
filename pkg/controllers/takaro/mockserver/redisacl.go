// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"

	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// allowedCommands are the commands that the mock game server sends. No others are allowed. They are
// listed by name, since the categories of ACLs differ between versions of Redis. The mock game
// server also sends KEYS to list bans and CLIENT SETINFO to identify itself, and works without a
// response to them. KEYS, SCAN, RANDOMKEY, DBSIZE and INFO are not restricted to the keys of a
// user, and scripts and blocking commands would block Redis for all users.
var allowedCommands = []string{
	// The connection, whose name the client library sets.
	"hello", "auth", "ping", "client|setname",
	// Players, their positions and inventories, bans and the simulation.
	"get", "set", "mget", "mset", "del", "hset", "hgetall", "sadd", "srem", "smembers", "scard",
	// Transactions.
	"multi", "exec", "discard",
}

// aclUser returns the name of a MockServer's user in the shared Redis.
func aclUser(mark string) string { return "roadstead-" + mark }

// keyPattern matches every key of a MockServer. No other MockServer has the mark.
func keyPattern(mark string) string { return "gameserver:" + mark + "-*" }

// aclScope returns the rules that replace all permissions of a user. They do not change its
// passwords.
func aclScope(mark string) []string {
	rules := []string{"clearselectors", "resetkeys", "resetchannels", "-@all", "~" + keyPattern(mark)}
	for _, command := range allowedCommands {
		rules = append(rules, "+"+command)
	}
	return rules
}

// aclRules returns the rules that replace a user.
func aclRules(mark string, password takaro.Secret) []string {
	return append([]string{"reset", "on", ">" + password.Reveal()}, aclScope(mark)...)
}

// grant creates or replaces the user of a MockServer, which can access only its own keys.
func (r *redisAccess) grant(ctx context.Context, target redisTarget, mark string, password takaro.Secret) error {
	return r.once(ctx, target, mark, password, func(ctx context.Context, client *redis.Client) error {
		return client.ACLSetUser(ctx, aclUser(mark), aclRules(mark, password)...).Err()
	})
}

// confine replaces the permissions of existing users, once per process and Redis. An earlier
// release granted more permissions, and the MockServers of those users may be blocked by Takaro
// before they reach grant.
func (r *redisAccess) confine(ctx context.Context, target redisTarget, marks []string) error {
	place := hashOf([]string{target.address(), target.username})
	r.mu.Lock()
	marks = slices.DeleteFunc(slices.Clone(marks), func(mark string) bool {
		_, granted := r.granted[mark]
		return granted || r.confined[mark] == place
	})
	r.mu.Unlock()
	if len(marks) == 0 {
		return nil
	}
	err := r.with(ctx, target, func(ctx context.Context, client *redis.Client) error {
		_, err := client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for _, mark := range marks {
				pipe.ACLSetUser(ctx, aclUser(mark), aclScope(mark)...)
			}
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, mark := range marks {
		r.confined[mark] = place
	}
	return nil
}
