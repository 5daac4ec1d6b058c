// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

// Package skew tests an upgrade, a rollback to the previous release, and another upgrade, with the
// programs of both releases, one store and one Takaro.
package skew

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

const (
	namespace   = "team"
	tokenSecret = "takaro-admin"
	// limit allows a controller to wait for the Lease or the anchor of its predecessor.
	limit = 2 * time.Minute
)

// step is a combination of programs that run together. The server is replaced before the controller
// in an upgrade and after it in a rollback, as the documentation describes. The manifests are those
// of the release of the server.
type step struct{ server, controller release }

func (s step) String() string {
	return fmt.Sprintf("server %s, controller %s", s.server, s.controller)
}

var env *framework.Env

// The test installs the programs of each step.
func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithTakaro(), framework.WithoutInstallation())
}

// world is the state that persists across all steps.
type world struct {
	builds builds
	dir    string
	names  []string
	// known are the IDs in Takaro by object, such as "domain-0".
	known map[string]string
}

// TestUpgradeReturnUpgrade creates a Domain and a User in each step, and changes those of the
// previous steps. At the end of each step everything is Ready and has its original ID.
func TestUpgradeReturnUpgrade(t *testing.T) {
	w := start(t)
	for i, step := range []step{{n1, n1}, {n, n1}, {n, n}, {n, n1}, {n1, n1}, {n, n1}, {n, n}} {
		begin := time.Now()
		w.run(t, i, step)
		t.Logf("step %d (%s): %d Domains and Users are Ready after %d ms", i, step, 2*len(w.names), time.Since(begin).Milliseconds())
	}
}

func start(t *testing.T) *world {
	t.Helper()
	w := &world{builds: build(t), dir: t.TempDir(), known: map[string]string{}}
	team := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	_, err := env.Admin.CoreV1().Namespaces().Create(t.Context(), team, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = env.Admin.CoreV1().Secrets(namespace).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: tokenSecret}, StringData: map[string]string{"adminToken": env.Takaro.AdminToken()},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	return w
}

// run runs one step with the data of the previous step.
func (w *world) run(t *testing.T, number int, step step) {
	t.Helper()
	roadstead, err := install.Install(t.Context(), install.Options{
		Cluster: env.Cluster, Dir: w.dir, BinDir: w.builds.pair(t, step.server, step.controller),
		Manifests:      w.builds.manifests(step.server),
		ControllerArgs: []string{"--takaro-compare-period=2s", "--takaro-qps=500", "--takaro-burst=500"},
	})
	require.NoError(t, err, "%s", step)
	defer func() { require.NoError(t, roadstead.Stop(), "%s", step) }()
	w.apply(t, fmt.Sprint(number))
	w.awaitReady(t, step)
	w.requireSame(t, step)
}

// apply creates objects with the name, and changes existing ones.
func (w *world) apply(t *testing.T, name string) {
	t.Helper()
	w.names = append(w.names, name)
	var text strings.Builder
	for i, each := range w.names {
		typed := ""
		if i%2 == 1 {
			typed = ", externalReferenceId: typed-" + each
		}
		fmt.Fprintf(&text, `---
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata: {name: domain-%[1]s}
spec: {takaroApiUrl: %[2]q, credentialsSecretRef: {name: %[3]s}, description: "step %[4]s"%[5]s}
---
apiVersion: takaro.roadstead.dev/v1alpha1
kind: User
metadata: {name: user-%[1]s}
spec: {email: user-%[1]s@example.com, domainRef: {name: domain-%[1]s}, name: user %[1]s in step %[4]s}
`, each, env.Takaro.URL(), tokenSecret, name, typed)
	}
	framework.AwaitFor(t, limit, "the objects are applied", func() error {
		_, _, err := env.TryKubectl(t, text.String(), "apply", "-n", namespace, "-f", "-")
		return err
	})
}

// awaitReady waits until everything is Ready in its current generation.
func (w *world) awaitReady(t *testing.T, step step) {
	t.Helper()
	for _, kind := range []string{"domain", "user"} {
		for _, name := range w.names {
			framework.AwaitFor(t, limit, fmt.Sprintf("%s: %s-%s", step, kind, name), func() error {
				object := w.object(t, kind, name)
				for _, condition := range object.Status.Conditions {
					if condition.Type == "Ready" && condition.Status == metav1.ConditionTrue && condition.ObservedGeneration == object.Generation {
						return nil
					}
				}
				return fmt.Errorf("it is %+v", object.Status.Conditions)
			})
		}
	}
}

// requireSame requires that Takaro has one domain and one user for each object, with the original
// IDs.
func (w *world) requireSame(t *testing.T, step step) {
	t.Helper()
	require.Len(t, env.Takaro.Domains(), len(w.names), "%s: one domain for each", step)
	for _, name := range w.names {
		domain := w.object(t, "domain", name)
		user := w.object(t, "user", name)
		w.keeps(t, step, "domain-"+name, domain.Status.DomainID)
		w.keeps(t, step, "user-"+name, user.Status.UserID)
		found, exists := env.Takaro.Domain(domain.Status.DomainID)
		require.True(t, exists, "%s: domain-%s", step, name)
		require.Len(t, found.Users, 2, "%s: root and one user", step)
		known := func(u takaro.User) bool { return u.ID == user.Status.UserID }
		require.True(t, slices.ContainsFunc(found.Users, known), "%s: user-%s", step, name)
		w.requireLogin(t, step, domain.Status.RootCredentials.Name, "username")
		w.requireLogin(t, step, user.Status.Credentials.Name, "email")
		if step.controller == n {
			requireHeld(t, step, domain, domain.Status.DomainID)
			requireHeld(t, step, user, user.Status.UserID)
		}
	}
}

// keeps requires that an object has its original ID in Takaro.
func (w *world) keeps(t *testing.T, step step, object, id string) {
	t.Helper()
	require.NotEmpty(t, id, "%s: %s", step, object)
	if first := w.known[object]; first != "" {
		require.Equal(t, first, id, "%s: %s was created again", step, object)
	}
	w.known[object] = id
}

// requireHeld requires that the ledger of an object contains exactly the ID.
func requireHeld(t *testing.T, step step, object stored, id string) {
	t.Helper()
	require.NotNil(t, object.Status.Ownership, "%s: %s", step, object.Name)
	var held []string
	for _, record := range object.Status.Ownership.Records {
		if record.State == ownership.Held {
			held = append(held, record.ID)
		}
	}
	require.Equal(t, []string{id}, held, "%s: %s", step, object.Name)
}
