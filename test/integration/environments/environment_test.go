// SPDX-License-Identifier: Apache-2.0

//go:build integration

package environments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	typed "roadstead.dev/roadstead/pkg/generated/clientset/versioned/typed/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

const (
	example          = "../../../artifacts/examples/takaro/environment.yaml"
	exampleNamespace = "takaro-environment"
	// allKinds are the fully qualified kinds of the example.
	allKinds = "domains.takaro.roadstead.dev,mockservers.takaro.roadstead.dev,users.takaro.roadstead.dev"
)

// newTakaro starts a simulated Takaro for one test.
func newTakaro(t *testing.T, options takaro.Options) *takaro.Server {
	t.Helper()
	options.ConnectorListen = "127.0.0.1:0"
	if options.ReachableInterval == 0 {
		options.ReachableInterval = 200 * time.Millisecond
	}
	return framework.NewTakaro(t, options)
}

// environment is the shipped example in a separate namespace.
type environment struct {
	t         *testing.T
	takaro    *takaro.Server
	namespace string
	manifest  string
}

// newEnvironment fills in the example as a user does: the namespace, the addresses and the token.
// It does not apply the example.
func newEnvironment(t *testing.T, server *takaro.Server) *environment {
	t.Helper()
	text, err := os.ReadFile(example)
	require.NoError(t, err)
	e := &environment{t: t, takaro: server, namespace: env.Name("environment")}
	for _, change := range [][2]string{
		{exampleNamespace, e.namespace}, {"https://api.takaro.example", server.URL()},
		{"wss://connect.takaro.example", server.ConnectorURL()}, {"replace-me", server.AdminToken()},
		// An e-mail address is a single identity across the domains of a Takaro.
		{"@example.com", "@" + e.namespace + ".example"},
	} {
		require.Contains(t, string(text), change[0])
		text = []byte(strings.ReplaceAll(string(text), change[0], change[1]))
	}
	e.manifest = string(text)
	t.Cleanup(e.leave)
	return e
}

// leave removes the remaining objects of a test while its Takaro still responds.
func (e *environment) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), framework.Limit)
	defer cancel()
	if e.t.Failed() {
		out, _, _ := env.Cluster.Kubectl(ctx, "get", allKinds+",statefulsets,pods,events", "-n", e.namespace, "-o", "wide")
		e.t.Log(out)
	}
	e.takaro.ClearFaults()
	_, _, err := env.Cluster.Kubectl(ctx, "delete", "namespace", e.namespace, "--ignore-not-found", "--timeout=55s")
	assert.NoError(e.t, err)
}

func (e *environment) apply() {
	e.t.Helper()
	require.NoError(e.t, e.tryApply())
}

func (e *environment) tryApply() error {
	_, _, err := env.TryKubectl(e.t, e.manifest, "apply", "-f", "-")
	return err
}

func (e *environment) kinds() typed.TakaroV1alpha1Interface {
	return framework.ClientFor(e.t, env.Cluster.AdminConfig()).TakaroV1alpha1()
}

// awaitReady waits until everything is Ready, as the comment at the top of the example describes.
func (e *environment) awaitReady() *v1alpha1.Domain {
	e.t.Helper()
	env.Kubectl(e.t, "", "wait", "--for=condition=Ready", allKinds, "--all", "-n", e.namespace, "--timeout=60s")
	domain, err := e.kinds().Domains(e.namespace).Get(e.t.Context(), "arena", metav1.GetOptions{})
	require.NoError(e.t, err)
	return domain
}

// awaitAllButLogins waits until everything is Ready, except Users whose e-mail address is used by
// another environment.
func (e *environment) awaitAllButLogins() {
	e.t.Helper()
	env.Kubectl(e.t, "", "wait", "--for=condition=Ready", "domains.takaro.roadstead.dev,mockservers.takaro.roadstead.dev", "--all", "-n",
		e.namespace, "--timeout=60s")
	env.Kubectl(e.t, "", "wait", "--for=condition=RolesAssigned", "users.takaro.roadstead.dev", "--all", "-n", e.namespace, "--timeout=60s")
}

func (e *environment) user(name string) *v1alpha1.User {
	e.t.Helper()
	user, err := e.kinds().Users(e.namespace).Get(e.t.Context(), name, metav1.GetOptions{})
	require.NoError(e.t, err)
	return user
}

// secret returns the content of a Secret.
func (e *environment) secret(name string) map[string]string {
	e.t.Helper()
	secret, err := env.Admin.CoreV1().Secrets(e.namespace).Get(e.t.Context(), name, metav1.GetOptions{})
	require.NoError(e.t, err)
	data := map[string]string{}
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return data
}

// inTakaro returns the Takaro domain of the environment.
func (e *environment) inTakaro() takaro.Domain {
	e.t.Helper()
	domain, err := e.kinds().Domains(e.namespace).Get(e.t.Context(), "arena", metav1.GetOptions{})
	require.NoError(e.t, err)
	made, found := e.takaro.Domain(domain.Status.DomainID)
	require.True(e.t, found, "%+v", domain.Status)
	return made
}

// condition returns a condition, or the zero value if it is missing.
func condition(conditions []metav1.Condition, kind string) metav1.Condition {
	if found := meta.FindStatusCondition(conditions, kind); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// deleteNamespace deletes the namespace with everything in it.
func (e *environment) deleteNamespace() {
	e.t.Helper()
	require.NoError(e.t, env.Admin.CoreV1().Namespaces().Delete(e.t.Context(), e.namespace, metav1.DeleteOptions{}))
}

// awaitNoNamespace waits until the namespace is deleted. The error contains the remaining resources
// according to the namespace controller.
func (e *environment) awaitNoNamespace() {
	e.t.Helper()
	framework.Await(e.t, "namespace "+e.namespace+" goes", func() error {
		left, err := env.Admin.CoreV1().Namespaces().Get(e.t.Context(), e.namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, fmt.Errorf("%+v", left.Status))
	})
}

// marks returns the prefixes that identify the MockServers of a Ready environment in Redis.
func (e *environment) marks() []string {
	e.t.Helper()
	var found []string
	for _, server := range e.inTakaro().GameServers {
		if mark, _, _ := strings.Cut(server.IdentityToken, "-"); !slices.Contains(found, mark) {
			framework.Await(e.t, "it has something in Redis", func() error {
				if len(keys(e.t, "gameserver:"+mark+"-*")) == 0 {
					return errors.New("nothing")
				}
				return nil
			})
			require.Contains(e.t, logins(e.t), "roadstead-"+mark)
			found = append(found, mark)
		}
	}
	require.Len(e.t, found, 2)
	return found
}

// requireNothingLeft checks everything outside the cluster, whose namespace is deleted.
func requireNothingLeft(t *testing.T, server *takaro.Server, marks []string) {
	t.Helper()
	require.Empty(t, server.Domains(), "in Takaro")
	requireNothingInRedis(t, marks)
}

func requireNothingInRedis(t *testing.T, marks []string) {
	t.Helper()
	for _, mark := range marks {
		require.Empty(t, keys(t, "gameserver:"+mark+"-*"), "in Redis")
		require.NotContains(t, logins(t), "roadstead-"+mark, "in Redis")
	}
}

// keys returns the sorted keys of the shared Redis that match a pattern.
func keys(t *testing.T, pattern string) []string {
	t.Helper()
	client := env.Redis.Client()
	defer func() { _ = client.Close() }()
	found, err := client.Keys(t.Context(), pattern).Result()
	require.NoError(t, err)
	slices.Sort(found)
	return found
}

// logins returns the users of the shared Redis.
func logins(t *testing.T) []string {
	t.Helper()
	client := env.Redis.Client()
	defer func() { _ = client.Close() }()
	found, err := client.ACLUsers(t.Context()).Result()
	require.NoError(t, err)
	return found
}
