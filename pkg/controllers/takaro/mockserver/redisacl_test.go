// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"errors"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const aclMark, aclPassword = "0123abcd", "of-the-pods"

// sharedTarget returns the Redis of the tests, with the login of the controller.
func sharedTarget() redisTarget {
	return redisTarget{host: shared.Host, port: int32(shared.Port), username: "default",
		password: takaro.NewSecret(shared.Password), shared: true}
}

// granted creates the user of a MockServer for the test and returns a client with the login of its
// pods.
func granted(t *testing.T) *goredis.Client {
	t.Helper()
	t.Cleanup(func() { deleteACLUser(t) })
	access := newRedisAccess(clock.RealClock{}, controllertest.Dial, anyPort, systemSpace)
	require.NoError(t, access.grant(t.Context(), sharedTarget(), aclMark, takaro.NewSecret(aclPassword)))
	client := shared.ClientAs(aclUser(aclMark), aclPassword)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func deleteACLUser(t *testing.T) {
	t.Helper()
	admin := shared.Client()
	defer func() { _ = admin.Close() }()
	require.NoError(t, admin.ACLDelUser(context.WithoutCancel(t.Context()), aclUser(aclMark)).Err())
}

// send sends one command, whose words are separated by spaces.
func send(ctx context.Context, client *goredis.Client, command string) error {
	var args []any
	for word := range strings.FieldsSeq(command) {
		args = append(args, word)
	}
	err := client.Do(ctx, args...).Err()
	if errors.Is(err, goredis.Nil) {
		return nil
	}
	return err
}

func TestGrantAllowsWhatAMockServerNeeds(t *testing.T) {
	client := granted(t)
	const own = "gameserver:0123abcd-0:"
	for _, command := range []string{
		"HELLO 3", "AUTH roadstead-0123abcd of-the-pods", "PING", "CLIENT SETNAME gameserver_0123abcd_0",
		"SET " + own + "ban:1 {} EXAT 4102444800", "GET " + own + "ban:1", "DEL " + own + "ban:1",
		"MSET " + own + "simulation:state {} " + own + "simulation:config {}", "MGET " + own + "simulation:state " + own + "simulation:config",
		"HSET " + own + "player:1 name a", "HGETALL " + own + "player:1",
		"SADD " + own + "players 1", "SMEMBERS " + own + "players", "SCARD " + own + "players", "SREM " + own + "players 1",
	} {
		assert.NoError(t, send(t.Context(), client, command), command)
	}
	_, err := client.TxPipelined(t.Context(), func(tx goredis.Pipeliner) error {
		tx.HSet(t.Context(), own+"player:2", "name", "b")
		tx.SAdd(t.Context(), own+"players", "2")
		return nil
	})
	assert.NoError(t, err)
}

func TestGrantRefusesWhatReachesOthers(t *testing.T) {
	client := granted(t)
	const own, other = "gameserver:0123abcd-0:k ", "gameserver:ffffffff-0:k "
	for name, command := range map[string]string{
		"names of keys": "KEYS *", "iteration over keys": "SCAN 0", "a random key": "RANDOMKEY", "number of keys": "DBSIZE",
		"server information": "INFO", "configuration": "CONFIG GET maxmemory", "new configuration": "CONFIG SET maxmemory 1",
		"users": "ACL LIST", "own name": "ACL WHOAMI", "a new user": "ACL SETUSER x on", "logged refusals": "ACL LOG",
		"clients": "CLIENT LIST", "end of clients": "CLIENT KILL TYPE normal", "paused clients": "CLIENT PAUSE 1",
		"no eviction":  "CLIENT NO-EVICT on",
		"tracked keys": "CLIENT TRACKING on BCAST",
		"all commands": "MONITOR", "an empty database": "FLUSHDB", "no data": "FLUSHALL",
		"swapped databases": "SWAPDB 0 1", "another database": "SELECT 1", "a moved key": "MOVE " + own + "1",
		"a copied key":  "COPY " + own + own,
		"a renamed key": "RENAME " + own + own,
		"a script":      "EVAL return(1) 0", "a loaded script": "SCRIPT LOAD return(1)", "a known script": "EVALSHA 0 0",
		"a function":        "FUNCTION LIST",
		"a called function": "FCALL f 0",
		"blocking":          "BLPOP " + own + "0", "waiting": "WAIT 1 0", "a blocking stream": "XREAD BLOCK 0 STREAMS " + own + "$",
		"publishing": "PUBLISH gameserver:0123abcd-0 x", "subscription": "SUBSCRIBE gameserver:0123abcd-0", "subscription to all": "PSUBSCRIBE *",
		"sorting": "SORT " + own + "BY *", "serialized keys": "DUMP " + own, "restored keys": "RESTORE " + own + "0 x", "memory": "MEMORY STATS",
		"migration": "MIGRATE 127.0.0.1 1 k 0 1", "replication": "REPLICAOF NO ONE", "synchronization": "PSYNC ? -1",
		"shutdown": "SHUTDOWN NOSAVE",
		"saving":   "BGSAVE", "modules": "MODULE LIST", "slow commands": "SLOWLOG GET", "latency": "LATENCY LATEST",
		"the cluster": "CLUSTER INFO",
		"failover":    "FAILOVER", "growing values": "APPEND " + own + "x", "large values": "SETRANGE " + own + "536870000 x",
		"bits":  "SETBIT " + own + "4294967295 1",
		"lists": "LPUSH " + own + "1", "streams": "XADD " + own + "* a b",
		"reading others": "GET " + other, "writing others": "SET " + other + "1", "deleting others": "DEL " + other,
		"one of others among own": "MGET " + own + other, "the set of others": "SMEMBERS " + other, "any other key": "GET k",
	} {
		t.Run(name, func(t *testing.T) {
			assert.ErrorContains(t, send(t.Context(), client, command), "NOPERM", command)
		})
	}
}

// DEBUG is rejected for all users unless the configuration of Redis enables it.
func TestGrantRefusesDebug(t *testing.T) {
	granted(t)
	admin := shared.Client()
	t.Cleanup(func() { _ = admin.Close() })
	allowed, err := admin.ACLDryRun(t.Context(), aclUser(aclMark), "PING").Result()
	require.NoError(t, err)
	require.Equal(t, "OK", allowed)
	refused, err := admin.ACLDryRun(t.Context(), aclUser(aclMark), "DEBUG", "SLEEP", "0").Result()
	require.NoError(t, err)
	assert.Contains(t, refused, "no permissions to run the 'debug' command")
}

// The user of an earlier release is restricted even if its MockServer is blocked, and keeps its
// password.
func TestLoginLoopConfinesUsersOfEarlierReleases(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	mark := markOf(w.Object())
	admin := shared.Client()
	t.Cleanup(func() { _ = admin.Close() })
	password := string(w.Secret(secretName(w.Object())).Data[redisKey])
	require.NoError(t, admin.ACLSetUser(t.Context(), aclUser(mark),
		"reset", "on", ">"+password, "~"+keyPattern(mark), "+@all", "-@admin", "-@dangerous", "+keys", "+info").Err())
	pod := shared.ClientAs(aclUser(mark), password)
	t.Cleanup(func() { _ = pod.Close() })
	require.NoError(t, send(t.Context(), pod, "KEYS *"))

	restarted := &watch{reconciler: w.controller(w.Store)}
	restarted.loginLoop().Once(t.Context())
	assert.ErrorContains(t, send(t.Context(), pod, "KEYS *"), "NOPERM")
	assert.ErrorContains(t, send(t.Context(), pod, "EVAL return(1) 0"), "NOPERM")
	assert.NoError(t, send(t.Context(), pod, "GET gameserver:"+mark+"-0:x"), "on, and with its keys")
}

// The next reconciliation by a new release restricts the user too.
func TestGrantReplacesUsersOfEarlierReleases(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	mark := markOf(w.Object())
	admin := shared.Client()
	t.Cleanup(func() { _ = admin.Close() })
	password := string(w.Secret(secretName(w.Object())).Data[redisKey])
	require.NoError(t, admin.ACLSetUser(t.Context(), aclUser(mark), "reset", "on", ">"+password, "~*", "&*", "+@all").Err())
	pod := shared.ClientAs(aclUser(mark), password)
	t.Cleanup(func() { _ = pod.Close() })
	require.NoError(t, send(t.Context(), pod, "KEYS *"))
	w.Once(w.controller(w.Store))
	assert.ErrorContains(t, send(t.Context(), pod, "KEYS *"), "NOPERM")
	assert.ErrorContains(t, send(t.Context(), pod, "GET other"), "NOPERM")
}
