// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package domain tests the controller of Domains with a real control plane, both programs with the
// shipped rights, kubectl, and a simulated Takaro that fails on demand.
package domain

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

// comparePeriod is shorter than the default of one minute, so that a test covers several
// comparisons.
const comparePeriod = 5 * time.Second

// controllerArgs are the arguments of every controller: frequent comparisons, and a rate that does
// not delay tests with many Domains.
var controllerArgs = []string{"--takaro-compare-period=" + comparePeriod.String(), "--takaro-qps=500", "--takaro-burst=500"}

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithAudit("Metadata"), framework.WithController(controllerArgs...),
		// Clients that are killed cause errors in the log.
		framework.WithoutLogCheck(), framework.WithParallel(20), framework.WithLast("^TestAfterwards"))
}

// secrets are the tokens and passwords of all simulated Takaros, which must not appear anywhere.
var secrets sync.Map

// newTakaro starts a simulated Takaro for one test.
func newTakaro(t *testing.T, options takaro.Options) *takaro.Server {
	t.Helper()
	server := framework.NewTakaro(t, options)
	secrets.Store(server.AdminToken(), true)
	return server
}

const ownLogin = "credentialsSecretRef: {name: " + framework.AdminSecret + "}"

// team has a separate Takaro unless tests share one.
type team struct{ *framework.Team }

func newTeam(t *testing.T, options takaro.Options) *team {
	t.Helper()
	return &team{env.Team(t, newTakaro(t, options))}
}

// apply applies a Domain with additional lines of spec.
func (u *team) apply(name string, spec ...string) {
	u.T.Helper()
	u.KubectlIn(u.T, u.manifest(name, spec...), "apply", "-f", "-")
}

func (u *team) manifest(name string, spec ...string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: %s}\nspec:\n  takaroApiUrl: %s\n  %s\n",
		name, u.Takaro.URL(), strings.Join(spec, "\n  "))
}

func (u *team) patch(name, spec string) {
	u.T.Helper()
	u.Kubectl(u.T, "patch", "domains.takaro.roadstead.dev", name, "--type=merge", "-p", `{"spec":`+spec+`}`)
}

func (u *team) get(name string) *v1alpha1.Domain {
	u.T.Helper()
	domain, err := u.Domains().Get(u.T.Context(), name, metav1.GetOptions{})
	require.NoError(u.T, err)
	return domain
}

func (u *team) secret(name string) *corev1.Secret {
	u.T.Helper()
	secret, err := u.Env.Admin.CoreV1().Secrets(u.Namespace).Get(u.T.Context(), name, metav1.GetOptions{})
	require.NoError(u.T, err)
	return secret
}

// await waits for a condition of the current generation ("Ready", "False SecretNotFound").
func (u *team) await(name, kind, want string) *v1alpha1.Domain {
	u.T.Helper()
	return u.AwaitDomain(framework.Limit, name, kind, want)
}

func (u *team) awaitReady(name string) *v1alpha1.Domain {
	u.T.Helper()
	return u.await(name, v1alpha1.ConditionReady, "True AsSpecified")
}

// awaitGone waits until the object is deleted.
func (u *team) awaitGone(name string) {
	u.T.Helper()
	u.Kubectl(u.T, "wait", "--for=delete", "domains.takaro.roadstead.dev/"+name, "--timeout=60s")
}

// requireWhole requires that a Ready Domain has exactly one domain in Takaro, and both Secrets with
// valid credentials.
func (u *team) requireWhole(name string) takaro.Domain {
	u.T.Helper()
	domain := u.awaitReady(name)
	var mine []takaro.Domain
	for _, made := range u.Takaro.Domains() {
		if made.ExternalReference == domain.Status.ExternalReferenceID {
			mine = append(mine, made)
		}
	}
	require.Len(u.T, mine, 1, "exactly one domain in Takaro for %s", name)
	made := mine[0]
	require.Equal(u.T, made.ID, domain.Status.DomainID)
	registration := u.secret(name + "-registration-token")
	require.Equal(u.T, made.RegistrationToken, string(registration.Data["token"]))
	root := u.secret(name + "-root")
	require.True(u.T, u.Takaro.PasswordIs(string(root.Data["username"]), string(root.Data["password"])), "the root login of %s works", name)
	for _, secret := range []*corev1.Secret{registration, root} {
		require.Equal(u.T, made.ID, string(secret.Data["domainId"]))
		require.Equal(u.T, u.Takaro.URL(), string(secret.Data["takaroApiUrl"]))
		require.Equal(u.T, domain.UID, secret.OwnerReferences[0].UID)
	}
	secrets.Store(string(registration.Data["token"]), true)
	secrets.Store(string(root.Data["password"]), true)
	return made
}

// awaitEvent waits for an event of the Domain and returns its text.
func (u *team) awaitEvent(name, reason string) (note string) {
	u.T.Helper()
	framework.Await(u.T, "event "+reason, func() error {
		list, err := env.Admin.EventsV1().Events(u.Namespace).List(u.T.Context(), metav1.ListOptions{})
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

// message returns the message of a condition.
func message(domain *v1alpha1.Domain, kind string) string {
	return meta.FindStatusCondition(domain.Status.Conditions, kind).Message
}
