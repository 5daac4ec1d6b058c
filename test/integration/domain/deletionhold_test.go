// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// age makes the ledger of a Domain two days old.
func (u *team) age(name string) {
	u.T.Helper()
	config := env.Cluster.AdminConfig()
	config.Impersonate.UserName = controllerUser
	kinds, err := versioned.NewForConfig(config)
	require.NoError(u.T, err)
	framework.Await(u.T, "the older ledger to be stored", func() error {
		domain := u.get(name)
		domain.Status.Ownership.Records[0].Since = metav1.NewTime(time.Now().Add(-48 * time.Hour))
		_, err := kinds.TakaroV1alpha1().Domains(u.Namespace).UpdateStatus(u.T.Context(), domain, metav1.UpdateOptions{})
		return err
	})
	require.Less(u.T, u.get(name).Status.Ownership.Records[0].Since.Time, time.Now().Add(-47*time.Hour))
}

// manyTeams returns teams that use one Takaro with the credentials of the installation. Each has a
// Domain that is two days old.
func manyTeams(t *testing.T, n int) []*team {
	t.Helper()
	server := newTakaro(t, takaro.Options{})
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: env.Name("endpoint"), Labels: map[string]string{"roadstead.dev/takaro-endpoint": "true"}},
		StringData: map[string]string{"url": server.URL(), "adminToken": server.AdminToken()},
	}
	secret, err := env.Admin.CoreV1().Secrets(install.Namespace).Create(t.Context(), secret, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), framework.Limit)
		defer cancel()
		assert.NoError(t, env.Admin.CoreV1().Secrets(install.Namespace).Delete(ctx, secret.Name, metav1.DeleteOptions{}))
	})
	var teams []*team
	for range n {
		u := &team{env.TeamWithoutToken(t, server)}
		u.apply("arena")
		teams = append(teams, u)
	}
	for _, u := range teams {
		u.awaitReady("arena")
		u.age("arena")
	}
	return teams
}

// TestManyDeletionsAreHeld verifies that an administrator must confirm the deletion of the Domains
// in many namespaces, and can keep individual Domains.
func TestManyDeletionsAreHeld(t *testing.T) {
	t.Parallel()
	teams := manyTeams(t, 8)
	for _, u := range teams {
		u.Kubectl(t, "delete", domainsResource, "arena", "--wait=false")
	}
	// The first three may be deleted before the others are observed, but no more.
	var held []*team
	framework.Await(t, "the deletions are held", func() error {
		held = nil
		for _, u := range teams {
			domain, err := u.Domains().Get(t.Context(), "arena", metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				continue
			}
			if err != nil {
				return err
			}
			if reason := message(domain, v1alpha1.ConditionReady); !strings.Contains(reason, "release-hold=") {
				return fmt.Errorf("Domain in %s: %s", u.Namespace, reason)
			}
			held = append(held, u)
		}
		return nil
	})
	require.GreaterOrEqual(t, len(held), 5)
	for _, u := range held {
		_, there := u.Takaro.Domain(u.get("arena").Status.DomainID)
		require.True(t, there, u.Namespace)
	}

	kept := held[0]
	id := kept.get("arena").Status.DomainID
	kept.patch("arena", `{"deletionPolicy":"Retain"}`)
	kept.awaitGone("arena")
	_, there := kept.Takaro.Domain(id)
	require.True(t, there, "it was retained")

	framework.Await(t, "the release is carried out", func() error {
		domain, err := held[1].Domains().Get(t.Context(), "arena", metav1.GetOptions{})
		if err != nil {
			return client.IgnoreNotFound(err)
		}
		text := message(domain, v1alpha1.ConditionReady)
		if command := releaseCommand.FindStringSubmatch(text); command != nil {
			// The token depends on the held objects, so that an outdated token releases nothing.
			_, _, err = env.Cluster.Kubectl(t.Context(), append([]string{"annotate", "--overwrite"}, strings.Fields(command[1])...)...)
			require.NoError(t, err)
		}
		return fmt.Errorf("it is there: %s", text)
	})
	for _, u := range held[1:] {
		u.awaitGone("arena")
	}
	assert.Len(t, kept.Takaro.Domains(), 1, "all others are deleted")
}
