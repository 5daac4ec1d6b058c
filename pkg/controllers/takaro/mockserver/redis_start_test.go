// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	"roadstead.dev/roadstead/test/framework/process"
)

// shippedRedis runs the container of the shipped StatefulSet: its command, its configuration and
// its variables, with the directories of its volumes below a temporary directory.
type shippedRedis struct {
	*testing.T
	container corev1.Container
	dir       string
	env       []string
	target    redisTarget
}

func newShippedRedis(t *testing.T, username, password string) *shippedRedis {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	s := &shippedRedis{T: t, dir: t.TempDir(), container: shipped[appsv1.StatefulSet](t,
		"redis/statefulset.yaml").Spec.Template.Spec.Containers[0]}
	for _, mount := range s.container.VolumeMounts {
		require.NoError(t, os.MkdirAll(filepath.Join(s.dir, mount.MountPath), 0o755))
	}
	config := s.inside(shipped[corev1.ConfigMap](t, "redis/configmap.yaml").Data["redis.conf"])
	for of, other := range map[string]string{"port 6379\n": fmt.Sprintf("port %d\n", port), "bind * -::*\n": "bind 127.0.0.1\n"} {
		require.Contains(t, config, of)
		config = strings.ReplaceAll(config, of, other)
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "etc/redis/redis.conf"), []byte(config), 0o600))
	s.login(username, password)
	s.target = redisTarget{host: "127.0.0.1", port: int32(port), username: username, password: takaro.NewSecret(password), shared: true}
	return s
}

// login sets the variables that are read from the Secret.
func (s *shippedRedis) login(username, password string) {
	values := map[string]string{redisKeyUsername: username, redisKeyPassword: password}
	s.env = nil
	for _, variable := range s.container.Env {
		s.env = append(s.env, variable.Name+"="+values[variable.ValueFrom.SecretKeyRef.Key])
	}
}

// inside moves the paths of the container's volumes below the temporary directory.
func (s *shippedRedis) inside(text string) string {
	paths := map[string]bool{}
	for _, mount := range s.container.VolumeMounts {
		paths[mount.MountPath] = true
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		text = strings.ReplaceAll(text, path, filepath.Join(s.dir, path))
	}
	return text
}

// start returns once Redis is ready. stop ends it.
func (s *shippedRedis) start() (stop func()) {
	s.Helper()
	command := slices.Concat(s.container.Command, s.container.Args)
	program, err := exec.LookPath(command[0])
	require.NoError(s, err)
	var args []string
	for _, arg := range command[1:] {
		args = append(args, s.inside(arg))
	}
	log := filepath.Join(s.dir, "log")
	run, err := process.Start(process.Options{Program: program, Args: args, Dir: s.dir, Log: log, Env: s.env})
	require.NoError(s, err)
	stop = func() { require.NoError(s, run.Stop(5*time.Second), "SIGTERM ends it") }
	s.Cleanup(stop)
	require.Eventually(s, func() bool { return s.ready() == nil }, 15*time.Second, 20*time.Millisecond, "%s", process.Tail(log, 20))
	return stop
}

// ready runs the command of the readiness probe.
func (s *shippedRedis) ready() error {
	probe := slices.Clone(s.container.ReadinessProbe.Exec.Command)
	last := len(probe) - 1
	probe[last] = strings.Replace(probe[last], "redis-cli ", "redis-cli -p "+strconv.Itoa(int(s.target.port))+" ", 1)
	command := exec.CommandContext(s.Context(), probe[0], probe[1:]...)
	command.Env = append(os.Environ(), s.env...)
	out, err := command.CombinedOutput()
	if err == nil && strings.TrimSpace(string(out)) != "PONG" {
		err = fmt.Errorf("%s", out)
	}
	return err
}

func (s *shippedRedis) as(username, password string) *goredis.Client {
	client := goredis.NewClient(&goredis.Options{Addr: net.JoinHostPort(s.target.host, strconv.Itoa(int(s.target.port))),
		Username: username, Password: password})
	s.Cleanup(func() { _ = client.Close() })
	return client
}

// The shipped Redis accepts only the login of the Secret, and that login is sufficient for the
// controller.
func TestShippedRedisStarts(t *testing.T) {
	for username, password := range map[string]string{"default": "plain-password", "roadstead": `a "quoted" $HOME \ 'password' #1`} {
		t.Run(username, func(t *testing.T) {
			s := newShippedRedis(t, username, password)
			s.start()
			access := newRedisAccess(clock.RealClock{}, netguard.Policy{AllowLoopback: true, AllowPrivate: true}, anyPort, systemSpace)
			require.NoError(t, access.grant(t.Context(), s.target, "0123abcd", takaro.NewSecret("of-the-pods")))
			users, err := access.users(t.Context(), s.target)
			require.NoError(t, err)
			assert.Contains(t, users, aclUser("0123abcd"))

			pods := s.as(aclUser("0123abcd"), "of-the-pods")
			require.NoError(t, pods.Set(t.Context(), "gameserver:0123abcd-game-0:players", "1", 0).Err())
			require.ErrorContains(t, pods.Set(t.Context(), "gameserver:ffffffff-game-0:players", "1", 0).Err(), "NOPERM")
			for _, who := range [][2]string{{"", ""}, {"default", "guess"}, {username, "guess"}} {
				require.Error(t, s.as(who[0], who[1]).Get(t.Context(), "gameserver:0123abcd-game-0:players").Err(), "%v", who)
			}
			written, err := os.ReadFile(filepath.Join(s.dir, "run/redis/users.conf"))
			require.NoError(t, err)
			assert.NotContains(t, string(written), password)
			require.NoError(t, access.purge(context.WithoutCancel(t.Context()), s.target, "0123abcd"))
		})
	}
}

// One MockServer cannot fill the memory of Redis with values or buffers that its mock game server
// does not need.
func TestShippedRedisBoundsClients(t *testing.T) {
	s := newShippedRedis(t, "default", "of-the-operator")
	s.start()
	access := newRedisAccess(clock.RealClock{}, netguard.Policy{AllowLoopback: true, AllowPrivate: true}, anyPort, systemSpace)
	require.NoError(t, access.grant(t.Context(), s.target, "0123abcd", takaro.NewSecret("of-the-pods")))
	pods := s.as(aclUser("0123abcd"), "of-the-pods")
	const key = "gameserver:0123abcd-0:player:1"
	require.NoError(t, pods.Set(t.Context(), key, strings.Repeat("x", 900<<10), 0).Err())
	require.Error(t, pods.Set(t.Context(), key, strings.Repeat("x", 2<<20), 0).Err(), "a large value")
	var many []any
	for i := range 100 {
		many = append(many, key+strconv.Itoa(i), strings.Repeat("x", 900<<10))
	}
	require.Error(t, pods.MSet(t.Context(), many...).Err(), "a command of 90 MB")
	operator := s.as("default", "of-the-operator")
	assert.Equal(t, int64(1), operator.DBSize(t.Context()).Val())
	for name, value := range map[string]string{"maxmemory-policy": "noeviction", "maxmemory-clients": "67108864", "maxclients": "5000"} {
		assert.Equal(t, value, operator.ConfigGet(t.Context(), name).Val()[name], name)
	}
}

// A pod that starts with a changed Secret becomes ready with the new login, and the previous one is
// rejected.
func TestShippedRedisRestartsWithAnotherLogin(t *testing.T) {
	s := newShippedRedis(t, "default", "first")
	stop := s.start()
	require.NoError(t, s.as("default", "first").Set(t.Context(), "gameserver:0123abcd-0:players", "1", 0).Err())
	stop()
	s.login("default", "second")
	s.start()
	require.ErrorContains(t, s.as("default", "first").Ping(t.Context()).Err(), "WRONGPASS")
	assert.Equal(t, "1", s.as("default", "second").Get(t.Context(), "gameserver:0123abcd-0:players").Val())
}

// The user that docs/takaro.md instructs administrators to create in an external Redis has exactly
// the permissions that the controller needs.
func TestDocumentedRedisUser(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "takaro.md"))
	require.NoError(t, err)
	_, line, found := strings.Cut(string(page), "\nredis-cli ACL SETUSER ")
	require.True(t, found)
	line, _, _ = strings.Cut(line, "\n")
	words := strings.Fields(strings.ReplaceAll(line, "'", ""))
	password := strings.TrimPrefix(words[2], ">")

	s := newShippedRedis(t, "default", "of-the-operator")
	s.start()
	operator := s.as("default", "of-the-operator")
	require.NoError(t, operator.ACLSetUser(t.Context(), words[0], words[1:]...).Err())
	require.NoError(t, operator.MSet(t.Context(), "others:1", "1", "gameserver:0123abcd-game-0:players", "1",
		"gameserver:0123abcd-game-0:simulation:state", "1").Err())
	s.target.username, s.target.password = words[0], takaro.NewSecret(password)
	access := newRedisAccess(clock.RealClock{}, netguard.Policy{AllowLoopback: true, AllowPrivate: true}, anyPort, systemSpace)
	require.NoError(t, access.grant(t.Context(), s.target, "0123abcd", takaro.NewSecret("of-the-pods")))
	users, err := access.users(t.Context(), s.target)
	require.NoError(t, err)
	require.Contains(t, users, aclUser("0123abcd"))
	require.NoError(t, access.reset(t.Context(), s.target, "0123abcd", false))
	require.NoError(t, access.purge(t.Context(), s.target, "0123abcd"))
	left, err := operator.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	assert.Equal(t, []string{"others:1"}, left)
	assert.ErrorContains(t, s.as(words[0], password).Get(t.Context(), "others:1").Err(), "NOPERM")
	assert.ErrorContains(t, s.as(words[0], password).Unlink(t.Context(), "others:1").Err(), "NOPERM")
}
