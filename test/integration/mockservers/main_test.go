// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package mockservers tests the controller of MockServers with a real control plane, both programs
// with the shipped rights, kubectl, a node whose pods are simulated, Redis, and a simulated Takaro
// with its connector.
package mockservers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

// The durations are shorter than the defaults, so that a test can observe them.
const (
	comparePeriod    = 2 * time.Second
	unreachableAfter = 4 * time.Second
	// readyLimit is the documented limit.
	readyLimit = 20 * time.Second
)

var controllerArgs = []string{"--takaro-compare-period=" + comparePeriod.String(), "--takaro-qps=200", "--takaro-burst=200",
	"--mock-server-unreachable-after=" + unreachableAfter.String()}

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithPlayer(0.05, 0.01), framework.WithRedis(), framework.WithController(controllerArgs...),
		framework.WithoutLogCheck(), framework.WithParallel(4), framework.WithBefore(func(_ context.Context, e *framework.Env) error {
			e.AtStop(func() error {
				if e.Roadstead == nil { // its start failed
					return nil
				}
				return missingRights(e.Roadstead.Controller().Log())
			})
			return nil
		}))
}

// missingRights returns an error if RBAC rejected a request of the controller: the shipped
// manifests must be sufficient.
func missingRights(path string) error {
	log, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(string(log), "\n") {
		if strings.Contains(line, "is forbidden: User") {
			return fmt.Errorf("a right is missing: %s", line)
		}
	}
	return nil
}

// team has a separate Takaro.
type team struct{ *framework.Team }

const domainName = "arena"

// newTeam returns a team after applying the changes to the options of its Takaro.
func newTeam(t *testing.T, change ...func(*takaro.Options)) *team {
	t.Helper()
	options := takaro.Options{ConnectorListen: "127.0.0.1:0", ReachableInterval: 200 * time.Millisecond, RequestTimeout: time.Second,
		Realism: takaro.FullRealism()}
	for _, do := range change {
		do(&options)
	}
	return &team{env.Team(t, framework.NewTakaro(t, options))}
}

func (u *team) apply(manifest string) {
	u.T.Helper()
	u.KubectlIn(u.T, manifest, "apply", "--server-side", "-f", "-")
}

// domain returns the manifest of the Domain of the team with additional lines of spec.
func (u *team) domain(spec ...string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: %s}\nspec:\n  takaroApiUrl: "+
		"%s\n  connectorUrl: %s\n  credentialsSecretRef: {name: takaro-admin}\n  %s\n",
		domainName, u.Takaro.URL(), u.Takaro.ConnectorURL(), strings.Join(spec, "\n  "))
}

// mock returns the manifest of a MockServer of that Domain with additional lines of spec.
func mock(name string, spec ...string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: MockServer\nmetadata: {name: %s}\nspec:\n  domainRef: "+
		"{name: %s}\n  %s\n", name, domainName, strings.Join(spec, "\n  "))
}

func (u *team) get(name string) *v1alpha1.MockServer {
	u.T.Helper()
	server, err := u.MockServers().Get(u.T.Context(), name, metav1.GetOptions{})
	require.NoError(u.T, err)
	return server
}

// await waits for a condition of the current generation ("Ready", "False DomainInMaintenance").
func (u *team) await(name, kind, want string) *v1alpha1.MockServer {
	u.T.Helper()
	return u.awaitFor(framework.Limit, name, kind, want)
}

func (u *team) awaitFor(limit time.Duration, name, kind, want string) *v1alpha1.MockServer {
	u.T.Helper()
	var server *v1alpha1.MockServer
	framework.AwaitFor(u.T, limit, name+": "+kind+" "+want, func() error {
		server = u.get(name)
		return framework.ConditionIs(server, server.Status.Conditions, kind, want)
	})
	return server
}

func (u *team) ready(name string) *v1alpha1.MockServer {
	u.T.Helper()
	return u.await(name, "Ready", "True AsSpecified")
}

// servers returns the names of the game servers in the only Takaro domain of the team.
func (u *team) servers() []string {
	u.T.Helper()
	names := []string{}
	for _, domain := range u.Takaro.Domains() {
		for _, server := range domain.GameServers {
			names = append(names, server.Name)
		}
	}
	return names
}

func (u *team) awaitServers(want ...string) {
	u.T.Helper()
	want = append([]string{}, want...)
	framework.Await(u.T, "game servers in Takaro", func() error {
		if got := u.servers(); !slices.Equal(got, want) {
			return fmt.Errorf("%v", got)
		}
		return nil
	})
}

// keys returns the keys of the shared Redis that match a pattern.
func keys(t *testing.T, pattern string) []string {
	t.Helper()
	client := env.Redis.Client()
	defer func() { _ = client.Close() }()
	found, err := client.Keys(t.Context(), pattern).Result()
	require.NoError(t, err)
	return found
}

func aclUsers(t *testing.T) []string {
	t.Helper()
	client := env.Redis.Client()
	defer func() { _ = client.Close() }()
	found, err := client.ACLUsers(t.Context()).Result()
	require.NoError(t, err)
	return found
}

func (u *team) awaitGone(name string) {
	u.T.Helper()
	framework.Await(u.T, name+" is gone", func() error {
		_, err := u.MockServers().Get(u.T.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("still there"), err)
	})
}

// markOf returns the prefix of the identities of a MockServer, without the ordinal. It also
// identifies the MockServer in Redis.
func markOf(server *v1alpha1.MockServer) string {
	sum := sha256.Sum256([]byte(server.UID))
	return hex.EncodeToString(sum[:])[:20]
}
