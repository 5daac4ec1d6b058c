// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package domain tests the controller of Domains as its users meet it: a real control plane, both programs with the rights
// that are shipped, kubectl, and a Takaro that fails on demand.
package domain

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

var env *framework.Env

// comparePeriod is shorter than the shipped minute, so that a test sees several.
const comparePeriod = 5 * time.Second

// controllerArgs are for every controller: comparisons that a test can wait for, and a rate that does not slow down tests
// with many Domains.
var controllerArgs = []string{"--takaro-compare-period=" + comparePeriod.String(), "--takaro-qps=500", "--takaro-burst=500"}

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run is not framework.Main: clients that are killed here leave traces in the server's log which that one does not accept.
func run(m *testing.M) int {
	ctx := context.Background()
	control, err := cluster.Start(ctx, cluster.Options{AuditLevel: "Metadata"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Parallel tests wait rather than compute.
	flag.Parse()
	if err := flag.Set("test.parallel", "10"); err != nil {
		panic(err)
	}
	code := 1
	var roadstead *install.Installation
	roadstead, err = install.Install(ctx, install.Options{Cluster: control, ControllerArgs: controllerArgs})
	if err == nil {
		admin, problem := kubernetes.NewForConfig(control.AdminConfig())
		if err = problem; err == nil {
			env = &framework.Env{Cluster: control, Roadstead: roadstead, Admin: admin}
			code = m.Run()
		}
		err = errors.Join(err, roadstead.Stop())
	}
	if err = errors.Join(err, control.Stop()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// secrets are what must appear nowhere: every token and password of the stand-ins.
var secrets = map[string]bool{}

// newTakaro starts a stand-in for one test.
func newTakaro(t *testing.T, options takaro.Options) *takaro.Server {
	t.Helper()
	server := takaro.New(options)
	require.NoError(t, server.Start())
	t.Cleanup(server.Close)
	secrets[server.AdminToken()] = true
	return server
}

const (
	adminSecret = "takaro-admin"
	ownLogin    = "credentialsSecretRef: {name: " + adminSecret + "}"
)

// team is a user with a namespace in which a Secret holds the stand-in's admin token.
type team struct {
	*framework.User
	t      *testing.T
	takaro *takaro.Server
}

func newTeam(t *testing.T, options takaro.Options) *team {
	t.Helper()
	u := &team{User: env.User(t, env.Namespace(t), "edit"), t: t, takaro: newTakaro(t, options)}
	u.storeToken(adminSecret, u.takaro.AdminToken())
	t.Cleanup(u.leave)
	return u
}

// leave deletes what a test left while its Takaro still answers, so that it does not go on in the background of others.
func (u *team) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), framework.Limit)
	defer cancel()
	u.takaro.ClearFaults()
	_, _, err := env.Cluster.Kubectl(ctx, "delete", "domains.takaro.roadstead.dev", "--all", "-n", u.Namespace, "--timeout=50s")
	assert.NoError(u.t, err)
}

func (u *team) storeToken(name, token string) {
	u.t.Helper()
	u.KubectlIn(u.t, fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: %s}\nstringData: {adminToken: %q}\n", name, token), "apply", "-f", "-")
}

// apply applies a Domain with more lines of spec.
func (u *team) apply(name string, spec ...string) {
	u.t.Helper()
	u.KubectlIn(u.t, u.manifest(name, spec...), "apply", "-f", "-")
}

func (u *team) manifest(name string, spec ...string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: %s}\nspec:\n  takaroApiUrl: %s\n  %s\n",
		name, u.takaro.URL(), strings.Join(spec, "\n  "))
}

func (u *team) patch(name, spec string) {
	u.t.Helper()
	u.Kubectl(u.t, "patch", "domains.takaro.roadstead.dev", name, "--type=merge", "-p", `{"spec":`+spec+`}`)
}

func (u *team) get(name string) *v1alpha1.Domain {
	u.t.Helper()
	domain, err := u.Domains().Get(u.t.Context(), name, metav1.GetOptions{})
	require.NoError(u.t, err)
	return domain
}

func (u *team) secret(name string) *corev1.Secret {
	u.t.Helper()
	secret, err := env.Admin.CoreV1().Secrets(u.Namespace).Get(u.t.Context(), name, metav1.GetOptions{})
	require.NoError(u.t, err)
	return secret
}

// await waits for a condition of the present generation ("Ready", "False SecretNotFound").
func (u *team) await(name, kind, want string) *v1alpha1.Domain {
	u.t.Helper()
	return u.awaitFor(framework.Limit, name, kind, want)
}

func (u *team) awaitFor(limit time.Duration, name, kind, want string) *v1alpha1.Domain {
	u.t.Helper()
	var domain *v1alpha1.Domain
	framework.AwaitFor(u.t, limit, fmt.Sprintf("Domain %s: %s %s", name, kind, want), func() (err error) {
		if domain, err = u.Domains().Get(u.t.Context(), name, metav1.GetOptions{}); err != nil {
			return err
		}
		found := meta.FindStatusCondition(domain.Status.Conditions, kind)
		if found == nil || found.ObservedGeneration != domain.Generation || string(found.Status)+" "+found.Reason != want {
			return fmt.Errorf("it is %+v", domain.Status)
		}
		return nil
	})
	return domain
}

func (u *team) awaitReady(name string) *v1alpha1.Domain {
	u.t.Helper()
	return u.await(name, v1alpha1.ConditionReady, "True AsSpecified")
}

// awaitGone waits until the object is gone.
func (u *team) awaitGone(name string) {
	u.t.Helper()
	u.Kubectl(u.t, "wait", "--for=delete", "domains.takaro.roadstead.dev/"+name, "--timeout=60s")
}

// requireWhole requires that a Ready Domain has exactly one domain in Takaro and both Secrets with what works there.
func (u *team) requireWhole(name string) takaro.Domain {
	u.t.Helper()
	domain := u.awaitReady(name)
	var mine []takaro.Domain
	for _, made := range u.takaro.Domains() {
		if made.ExternalReference == domain.Status.ExternalReferenceID {
			mine = append(mine, made)
		}
	}
	require.Len(u.t, mine, 1, "exactly one domain in Takaro for %s", name)
	made := mine[0]
	require.Equal(u.t, made.ID, domain.Status.DomainID)
	registration := u.secret(name + "-registration-token")
	require.Equal(u.t, made.RegistrationToken, string(registration.Data["token"]))
	root := u.secret(name + "-root")
	require.True(u.t, u.takaro.PasswordIs(string(root.Data["username"]), string(root.Data["password"])), "the root login of %s works", name)
	for _, secret := range []*corev1.Secret{registration, root} {
		require.Equal(u.t, made.ID, string(secret.Data["domainId"]))
		require.Equal(u.t, u.takaro.URL(), string(secret.Data["takaroApiUrl"]))
		require.Equal(u.t, domain.UID, secret.OwnerReferences[0].UID)
	}
	secrets[string(registration.Data["token"])], secrets[string(root.Data["password"])] = true, true
	return made
}

// awaitEvent waits for an event of the Domain and gives its text.
func (u *team) awaitEvent(name, reason string) (note string) {
	u.t.Helper()
	framework.Await(u.t, "event "+reason, func() error {
		list, err := env.Admin.EventsV1().Events(u.Namespace).List(u.t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range list.Items {
			if event.Regarding.Name == name && event.Reason == reason {
				note = event.Note
				return nil
			}
		}
		return fmt.Errorf("not among %d events", len(list.Items))
	})
	return note
}

// message is the text of a condition.
func message(domain *v1alpha1.Domain, kind string) string {
	return meta.FindStatusCondition(domain.Status.Conditions, kind).Message
}
