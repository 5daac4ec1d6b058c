// SPDX-License-Identifier: Apache-2.0

//go:build integration

package plugin

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// inject injects a fault into the simulated Takaro.
func inject(t *testing.T, e *environment, kind takaro.FaultKind) {
	t.Helper()
	_, err := e.takaro.InjectFault(takaro.Fault{Kind: kind})
	require.NoError(t, err)
}

// closedPort returns a port without a listener.
func closedPort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// faults are faults of environments. Each line lists the words that the output must contain: the
// object, the reason, and words of the message.
var faults = map[string]struct {
	inject func(t *testing.T, e *environment)
	line   []string
}{
	"wrong admin token": {
		func(t *testing.T, e *environment) {
			e.replace("adminToken: "+e.takaro.AdminToken(), "adminToken: wrong")
		},
		[]string{"Domain/arena", "AdminTokenRefused", `put a valid admin token into Secret "`, `/takaro-admin" under key "adminToken"`,
			"(4 more wait for it)"},
	},
	"Takaro down": {
		func(t *testing.T, e *environment) { inject(t, e, takaro.FaultDown) },
		[]string{"Domain/arena", "EndpointUnavailable", "(4 more wait for it)"},
	},
	"an address that is not Takaro's": {
		func(t *testing.T, e *environment) {
			other := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(other.Close)
			e.replace("takaroApiUrl: "+e.takaro.URL(), "takaroApiUrl: "+other.URL)
		},
		[]string{"Domain/arena", "EndpointNotTakaro", "check the URL", "(4 more wait for it)"},
	},
	"missing Secret": {
		func(t *testing.T, e *environment) { e.without("kind: Secret") },
		[]string{"Domain/arena", "SecretNotFound", `spec.credentialsSecretRef: Secret "takaro-admin" is not there`, "(4 more wait for it)"},
	},
	"missing key": {
		func(t *testing.T, e *environment) { e.replace("adminToken: ", "token: ") },
		[]string{"Domain/arena", "SecretKeyMissing", `Secret "takaro-admin" has no value under key "adminToken"`, "(4 more wait for it)"},
	},
	"missing Domain": {
		func(t *testing.T, e *environment) { e.without("kind: Domain") },
		[]string{"Domain/arena", "NotFound", "it does not exist", "spec.domainRef", "(4 more wait for it)"},
	},
	"foreign reference taken": {
		func(t *testing.T, e *environment) {
			_, _, err := e.takaro.PlantDomain(takaro.Seed{Name: "theirs", ExternalReference: "community"})
			require.NoError(t, err)
			e.replace("  domainLimits:\n", "  externalReferenceId: community\n  domainLimits:\n")
		},
		[]string{"Domain/arena", "ExternalReferenceTaken", "community", "(4 more wait for it)"},
	},
	"connector unreachable": {
		func(t *testing.T, e *environment) {
			inject(t, e, takaro.FaultConnectorRefuse)
			e.without("name: quiet")
		},
		[]string{"MockServer/busy", "Registering", "kubectl logs busy-", "connector at ws://127.0.0.1"},
	},
	"role missing": {
		func(t *testing.T, e *environment) { e.replace("roles: [Moderator]", "roles: [Wizard]") },
		[]string{"User/bob", "RolesMissing", "no role Wizard", "Create it in Takaro"},
	},
	"max users reached": {
		func(t *testing.T, e *environment) {
			e.replace("maxUsers: 20", "maxUsers: 1")
		},
		[]string{"User/", "MaxUsersReached", "spec.domainLimits.maxUsers"},
	},
	"game server limit reached": {
		func(t *testing.T, e *environment) {
			e.replace("maxGameServers: 5", "maxGameServers: 1")
			e.without("name: quiet")
		},
		[]string{"MockServer/busy", "GameServerLimitReached", "raise spec.domainLimits.maxGameServers"},
	},
}

// TestEachFaultIsNamedInOneLine verifies that status reports each fault once, for the object that
// causes it.
func TestEachFaultIsNamedInOneLine(t *testing.T) {
	require.GreaterOrEqual(t, len(faults), 10)
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnvironment(t)
			fault.inject(t, e)
			e.apply()
			e.requireOneLine(fault.line)
		})
	}
}

// TestRedisDown is a separate test because the Redis is shared.
func TestRedisDown(t *testing.T) {
	secrets := env.Admin.CoreV1().Secrets(install.Namespace)
	lead := func(ctx context.Context, port string) {
		patch := fmt.Sprintf(`{"stringData":{"port":%q}}`, port)
		_, err := secrets.Patch(ctx, "redis", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		require.NoError(t, err)
	}
	before, err := secrets.Get(t.Context(), "redis", metav1.GetOptions{})
	require.NoError(t, err)
	lead(t.Context(), strconv.Itoa(closedPort(t)))
	t.Cleanup(func() { lead(context.Background(), string(before.Data["port"])) })
	e := newEnvironment(t)
	e.apply()
	e.requireOneLine([]string{"MockServer/busy", "RedisUnavailable", "Redis at 127.0.0.1", `(Secret "roadstead-system/redis")`,
		"the connection was refused", "(also: MockServer/quiet)"})
}

// requireOneLine waits until status prints a single line that contains all words. A MockServer
// whose game servers do not register reports the cause only after 20 seconds.
func (e *environment) requireOneLine(words []string) {
	e.t.Helper()
	var got answer
	framework.AwaitFor(e.t, 2*framework.Limit, "one line", func() error {
		got = e.roadstead("status")
		if shown := lines(got.out); got.code != 1 || len(shown) != 2 || !holdsAll(shown[1], words) {
			return fmt.Errorf("exit code %d:\n%s%s", got.code, got.out, got.problems)
		}
		return nil
	})
	e.t.Logf("\n%s", got.out)
	assert.Empty(e.t, got.problems)
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

func holdsAll(line string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(line, part) {
			return false
		}
	}
	return true
}
