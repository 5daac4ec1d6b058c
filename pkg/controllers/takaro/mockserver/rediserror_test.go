// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/engine/netguard"
)

// greeter listens, sends the greeting on each connection immediately, and sends the answer each
// time it reads data.
func greeter(t *testing.T, greeting, answer string) redisTarget {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				_, err := conn.Write([]byte(greeting))
				for buffer := make([]byte, 4096); err == nil && (greeting != "" || answer != ""); {
					if _, err = conn.Read(buffer); err == nil {
						_, err = conn.Write([]byte(answer))
					}
				}
			}()
		}
	}()
	return redisTarget{host: "127.0.0.1", port: int32(listener.Addr().(*net.TCPAddr).Port)}
}

func TestRedisErrorsHideWhatTheOtherSideSends(t *testing.T) {
	const word = "internal-bastion"
	for name, c := range map[string]struct{ greeting, answer, reason string }{
		"SSH":  {"SSH-2.0-OpenSSH_9.6p1 " + word + "\r\n", "x", "the server does not speak the Redis protocol"},
		"SMTP": {"220 " + word + " ESMTP\r\n", "500 " + word + "\r\n", "the server does not speak the Redis protocol"},
		"HTTP": {"", "HTTP/1.1 400 Bad Request\r\nServer: " + word + "\r\n\r\n",
			"the server does not speak the Redis protocol"},
		"IMAP":                    {"* OK " + word + "\r\n", "* BAD " + word + "\r\n", "the server does not speak the Redis protocol"},
		"POP3":                    {"+OK " + word + "\r\n", "-ERR " + word + "\r\n", "the server does not speak the Redis protocol"},
		"memcached":               {"", "ERROR " + word + "\r\n", "the server does not speak the Redis protocol"},
		"TLS":                     {"", "\x15\x03\x03\x00\x02\x02\x46", "the server expects TLS, which mock game servers cannot use"},
		"closes":                  {"", "", "the server closed the connection"},
		"Redis with an own error": {"", "-ERR " + word + "\r\n", "the command was answered with an error"},
		"Redis with an own code":  {"", "-" + strings.ToUpper(word) + " " + word + "\r\n", "the command was answered with an error"},
		"wrong password":          {"", "-WRONGPASS " + word + "\r\n", "the username or the password is wrong (WRONGPASS)"},
		"password required":       {"", "-NOAUTH " + word + "\r\n", "a password is required (NOAUTH)"},
		"loading":                 {"", "-LOADING " + word + "\r\n", "Redis is loading its data (LOADING)"},
		"cluster":                 {"", "-MOVED 1 " + word + ":6379\r\n", "Redis is a cluster, which mock game servers cannot use (MOVED)"},
		"type of a key":           {"", "$" + word + "\r\n", "the server does not speak the Redis protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			target := greeter(t, c.greeting, c.answer)
			err := newRedisAccess(clock.RealClock{}, controllertest.Dial, anyPort, systemSpace).check(t.Context(), target, "0123abcd")
			require.Error(t, err)
			text := redisProblem("checking", err).Message
			assert.Equal(t, fmt.Sprintf("while checking: Redis at 127.0.0.1:%d: %s; trying again", target.port, c.reason), text)
			assert.NotContains(t, strings.ToLower(text), word)
		})
	}
}

func TestRedisErrorsOfConnections(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	for name, c := range map[string]struct {
		target redisTarget
		dial   netguard.Policy
		reason string
	}{
		"refused address": {redisTarget{host: "169.254.169.254", port: 6379}, controllertest.Dial,
			"address 169.254.169.254:6379 is refused: it is a link-local address (no flag allows it; use another URL)"},
		"unknown name": {redisTarget{host: "redis.invalid", port: 6379}, controllertest.Dial, "DNS"},
		"no answer": {redisTarget{host: "127.0.0.1", port: int32(silent.Addr().(*net.TCPAddr).Port)}, controllertest.Dial,
			"there was no answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			err := newRedisAccess(clock.RealClock{}, c.dial, anyPort, systemSpace).check(t.Context(), c.target, "0123abcd")
			require.ErrorContains(t, err, c.reason)
		})
	}
}

// The response of a shared Redis, which administrators chose, describes the problem of the Redis.
func TestRedisErrorsOfASharedRedisKeepTheAnswer(t *testing.T) {
	target := greeter(t, "", "-ERR unknown command 'ACL'\r\n")
	target.shared = true
	_, err := newRedisAccess(clock.RealClock{}, controllertest.Dial, anyPort, systemSpace).users(t.Context(), target)
	require.ErrorContains(t, err, "ERR unknown command 'ACL'")
}

func TestRedisPorts(t *testing.T) {
	for typed, c := range map[string]struct{ allowed, refused []int32 }{
		DefaultRedisPorts:   {[]int32{1024, 6379, 6380, 65535}, []int32{1, 22, 25, 80, 443, 1023}},
		"6379,6380":         {[]int32{6379, 6380}, []int32{22, 6378, 6381}},
		"6379, 10000-19999": {[]int32{6379, 10000, 19999}, []int32{9999, 20000}},
	} {
		ports, err := ParseRedisPorts(strings.Split(typed, ","))
		require.NoError(t, err, typed)
		for _, port := range c.allowed {
			assert.Nil(t, ports.check(port), "%s: %d", typed, port)
		}
		for _, port := range c.refused {
			blocked := ports.check(port)
			require.NotNil(t, blocked, "%s: %d", typed, port)
			assert.Equal(t, v1alpha1.ReasonRedisUnavailable, blocked.Reason)
			assert.Contains(t, blocked.Message, fmt.Sprintf("Port %d of spec.redis is not allowed.", port))
		}
	}
	none, err := ParseRedisPorts(nil)
	require.NoError(t, err)
	require.NotNil(t, none.check(6379))
	assert.Contains(t, none.check(6379).Message, "does not allow spec.redis")
	for _, typed := range []string{"", "redis", "0", "-1", "65536", "10-1", "0-10"} {
		_, err := ParseRedisPorts([]string{typed})
		assert.Error(t, err, "%q", typed)
	}
}

// A port that is not allowed is not dialed, even when the object is deleted.
func TestRedisOfASpecOnARefusedPort(t *testing.T) {
	w := newWorld(t, func(_ *v1alpha1.Domain, m *v1alpha1.MockServer) {
		m.Spec.Redis = &v1alpha1.MockServerRedis{Host: "127.0.0.1", Port: ptr.To(int32(shared.Port))}
	})
	w.r.redis.ports = RedisPorts{{Base: 6379, Size: 2}}
	w.Once(w.r)
	assert.Equal(t, "False RedisUnavailable", w.Condition("Ready"))
	assert.Contains(t, w.Message("Ready"), "Use one of these ports: 6379-6380.")
	assert.True(t, apierrors.IsNotFound(w.Store.Get(t.Context(), w.Request().NamespacedName, &appsv1.StatefulSet{})), "no pod runs")
}
