// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package mockservers tests the controller of MockServers as its users meet it: a real control plane, both programs with the
// rights that are shipped, kubectl, a node whose pods are played, Redis, and a Takaro with its connector.
package mockservers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/mockgameserver"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/fakes/redis"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

var (
	env    *framework.Env
	shared *redis.Server
	player *podplayer.Player
)

// Times are shorter than the shipped ones, so that a test sees them pass.
const (
	comparePeriod    = 2 * time.Second
	unreachableAfter = 4 * time.Second
	// readyLimit is what the project promises.
	readyLimit = 20 * time.Second
)

var controllerArgs = []string{"--takaro-compare-period=" + comparePeriod.String(), "--takaro-qps=200", "--takaro-burst=200",
	"--mock-server-unreachable-after=" + unreachableAfter.String()}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	ctx := context.Background()
	code = 1
	var ends []func() error
	defer func() {
		for _, end := range slices.Backward(ends) {
			if err := end(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}()
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	control, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, control.Stop)
	player, err = podplayer.Start(ctx, podplayer.Options{Config: control.AdminConfig(), TimeScale: 0.05,
		Behaviours: mockgameserver.Behaviours(mockgameserver.Options{TimeScale: 0.01})})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, player.Stop)
	if shared, err = redis.Start(ctx); err != nil {
		return fail(err)
	}
	ends = append(ends, shared.Close)
	roadstead, err := install.Install(ctx, install.Options{Cluster: control, ControllerArgs: controllerArgs})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, func() error { return missingRights(roadstead.Controller().Log()) }, roadstead.Stop)
	admin, err := kubernetes.NewForConfig(control.AdminConfig())
	if err != nil {
		return fail(err)
	}
	env = &framework.Env{Cluster: control, Roadstead: roadstead, Admin: admin}
	if err := shareRedis(ctx); err != nil {
		return fail(err)
	}
	return m.Run()
}

// missingRights fails when the controller was refused something by RBAC: the shipped manifests must be enough.
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

// shareRedis makes the installation's Secret of the shared Redis.
func shareRedis(ctx context.Context) error {
	_, err := env.Admin.CoreV1().Secrets(install.Namespace).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "redis", Labels: map[string]string{"roadstead.dev/redis": "true"}},
		StringData: map[string]string{"host": shared.Host, "port": strconv.Itoa(shared.Port), "username": "default", "password": shared.Password},
	}, metav1.CreateOptions{})
	return err
}

// team is a user with a namespace, a Takaro and its admin token in a Secret.
type team struct {
	*framework.User
	t      *testing.T
	takaro *takaro.Server
}

const domainName = "arena"

// newTeam changes the options of its Takaro as told.
func newTeam(t *testing.T, change ...func(*takaro.Options)) *team {
	t.Helper()
	options := takaro.Options{ConnectorListen: "127.0.0.1:0", ReachableInterval: 200 * time.Millisecond, RequestTimeout: time.Second,
		Realism: takaro.FullRealism()}
	for _, do := range change {
		do(&options)
	}
	server := takaro.New(options)
	require.NoError(t, server.Start())
	t.Cleanup(server.Close)
	u := &team{User: env.User(t, env.Namespace(t), "edit"), t: t, takaro: server}
	u.apply(fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: admin}\nstringData: {adminToken: %q}\n", server.AdminToken()))
	t.Cleanup(u.leave)
	return u
}

// leave deletes what a test left while its Takaro still answers.
func (u *team) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), framework.Limit)
	defer cancel()
	if u.t.Failed() {
		out, _, _ := env.Cluster.Kubectl(ctx, "get", "domains.takaro.roadstead.dev,mockservers.takaro.roadstead.dev,statefulsets,pods,events", "-n", u.Namespace, "-o", "wide")
		u.t.Log(out)
	}
	_, _, err := env.Cluster.Kubectl(ctx, "delete", "domains.takaro.roadstead.dev,mockservers.takaro.roadstead.dev", "--all", "-n", u.Namespace, "--timeout=50s")
	assert.NoError(u.t, err)
}

func (u *team) apply(manifest string) {
	u.t.Helper()
	u.KubectlIn(u.t, manifest, "apply", "--server-side", "-f", "-")
}

// domain is the manifest of the team's Domain with more lines of spec.
func (u *team) domain(spec ...string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: %s}\nspec:\n  takaroApiUrl: %s\n  connectorUrl: %s\n  credentialsSecretRef: {name: admin}\n  %s\n",
		domainName, u.takaro.URL(), u.takaro.ConnectorURL(), strings.Join(spec, "\n  "))
}

// mock is the manifest of a MockServer of that Domain with more lines of spec.
func mock(name string, spec ...string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: MockServer\nmetadata: {name: %s}\nspec:\n  domainRef: {name: %s}\n  %s\n", name, domainName, strings.Join(spec, "\n  "))
}

func (u *team) get(name string) *v1alpha1.MockServer {
	u.t.Helper()
	server, err := framework.ClientFor(u.t, u.Config).TakaroV1alpha1().MockServers(u.Namespace).Get(u.t.Context(), name, metav1.GetOptions{})
	require.NoError(u.t, err)
	return server
}

// await waits for a condition of the present generation ("Ready", "False DomainInMaintenance").
func (u *team) await(name, kind, want string) *v1alpha1.MockServer {
	u.t.Helper()
	return u.awaitFor(framework.Limit, name, kind, want)
}

func (u *team) awaitFor(limit time.Duration, name, kind, want string) *v1alpha1.MockServer {
	u.t.Helper()
	var server *v1alpha1.MockServer
	framework.AwaitFor(u.t, limit, name+": "+kind+" "+want, func() error {
		server = u.get(name)
		found := meta.FindStatusCondition(server.Status.Conditions, kind)
		switch {
		case found == nil:
			return errors.New("absent")
		case found.ObservedGeneration != server.Generation || string(found.Status)+" "+found.Reason != want:
			return fmt.Errorf("%s %s (generation %d of %d): %s", found.Status, found.Reason, found.ObservedGeneration, server.Generation, found.Message)
		}
		return nil
	})
	return server
}

func (u *team) ready(name string) *v1alpha1.MockServer {
	u.t.Helper()
	return u.await(name, "Ready", "True AsSpecified")
}

// servers gives the names of the game servers in the team's only Takaro domain.
func (u *team) servers() []string {
	u.t.Helper()
	names := []string{}
	for _, domain := range u.takaro.Domains() {
		for _, server := range domain.GameServers {
			names = append(names, server.Name)
		}
	}
	return names
}

func (u *team) awaitServers(want ...string) {
	u.t.Helper()
	want = append([]string{}, want...)
	framework.Await(u.t, "game servers in Takaro", func() error {
		if got := u.servers(); !slices.Equal(got, want) {
			return fmt.Errorf("%v", got)
		}
		return nil
	})
}

// keys gives the keys of the shared Redis that a pattern matches.
func keys(t *testing.T, pattern string) []string {
	t.Helper()
	client := shared.Client()
	defer func() { _ = client.Close() }()
	found, err := client.Keys(t.Context(), pattern).Result()
	require.NoError(t, err)
	return found
}

func aclUsers(t *testing.T) []string {
	t.Helper()
	client := shared.Client()
	defer func() { _ = client.Close() }()
	found, err := client.ACLUsers(t.Context()).Result()
	require.NoError(t, err)
	return found
}

func (u *team) awaitGone(name string) {
	u.t.Helper()
	framework.Await(u.t, name+" is gone", func() error {
		_, err := framework.ClientFor(u.t, u.Config).TakaroV1alpha1().MockServers(u.Namespace).Get(u.t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("still there"), err)
	})
}

// markOf returns what precedes the ordinal in the identities of a MockServer, and names it in Redis.
func markOf(server *v1alpha1.MockServer) string {
	sum := sha256.Sum256([]byte(server.UID))
	return hex.EncodeToString(sum[:])[:20]
}
