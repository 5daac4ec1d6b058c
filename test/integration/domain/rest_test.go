// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

func TestManyDomainsAtRest(t *testing.T) {
	const many = 200
	u := newTeam(t, takaro.Options{})
	begin := time.Now()
	u.createMany(many)
	created := time.Since(begin)
	framework.Await(t, "all are Ready", func() error { return u.unready(many) })
	t.Logf("%d Domains: made in %d ms, all Ready after %d ms", many, created.Milliseconds(), time.Since(begin).Milliseconds())

	framework.Await(t, "the TakaroEndpoint counts them", func() error { return u.uncounted(many) })
	// Effects of the last write may be still in progress.
	time.Sleep(2 * time.Second)
	versions := u.versions()
	u.Takaro.ResetCounts()
	from := time.Now()
	const periods = 3
	time.Sleep(periods * comparePeriod) // the observed window
	window := time.Since(from)

	var reads, writes []string
	for _, event := range auditOf(t, env, controllerUser, from, from.Add(window)) {
		switch {
		case event.ObjectRef.Resource == "leases", event.Verb == "watch":
		// Other tests may still delete their remaining objects.
		case strings.HasPrefix(event.ObjectRef.Namespace, "test") && event.ObjectRef.Namespace != u.Namespace:
		case event.Verb == "list" && event.ObjectRef.Resource == "takaroendpoints":
		// The controllers follow the epoch of the store in this record.
		case event.Verb == "get" && event.ObjectRef.Name == storeidentity.ConfigMapName:
		// Once a minute the controllers read the addresses of the API servers and the Secrets of
		// bundled Redis servers.
		case event.Verb == "get" && event.ObjectRef.Name == "kubernetes" && event.ObjectRef.Namespace == metav1.NamespaceDefault:
		case event.Verb == "list" && event.ObjectRef.Resource == "secrets" && strings.Contains(event.RequestURI, "roadstead.dev%2Fredis"):
		case event.Verb == "get" || event.Verb == "list":
			reads = append(reads, event.Verb+" "+event.RequestURI)
		default:
			writes = append(writes, event.Verb+" "+event.RequestURI)
		}
	}
	assert.Empty(t, writes, "no writes at rest")
	assert.Empty(t, reads, "no reads at rest but watches")
	assert.Equal(t, versions, u.versions())
	lists := u.Takaro.Count(http.MethodPost, "/domain/search")
	t.Logf("at rest for %d ms: %d lists, %d requests to Takaro in all, %d writes and %d reads of the cluster", window.Milliseconds(), lists,
		u.Takaro.Count("", ""), len(writes), len(reads))
	renewals := u.Takaro.Count(http.MethodPut, "/domain/*")
	assert.Equal(t, lists+renewals, u.Takaro.Count("", ""), "nothing but lists and renewals of the anchor")
	assert.LessOrEqual(t, renewals, 2, "one in ten seconds")
	assert.GreaterOrEqual(t, lists, periods-1)
	assert.LessOrEqual(t, lists, periods+1, "one per period and page")
	assert.NoError(t, u.Domains().DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	framework.Await(t, "all are gone", func() error {
		return framework.Unless(len(u.Takaro.Domains()) == 0, "%d left", len(u.Takaro.Domains()))
	})
}

// createMany creates Domains from 20 concurrent clients.
func (u *team) createMany(many int) {
	u.T.Helper()
	var group errgroup.Group
	group.SetLimit(20)
	for i := range many {
		group.Go(func() error {
			domain := &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("arena-%d", i)}, Spec: v1alpha1.DomainSpec{
				TakaroAPIURL: u.Takaro.URL(), CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: framework.AdminSecret},
			}}
			_, err := u.Domains().Create(u.T.Context(), domain, metav1.CreateOptions{})
			return err
		})
	}
	require.NoError(u.T, group.Wait())
}

func (u *team) unready(want int) error {
	list, err := u.Domains().List(u.T.Context(), metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	ready := 0
	for _, domain := range list.Items {
		if domain.Status.Phase == v1alpha1.DomainReady {
			ready++
		}
	}
	return framework.Unless(ready == want, "%d of %d", ready, want)
}

// uncounted returns an error unless the TakaroEndpoint of the team reports the given number of
// domains.
func (u *team) uncounted(want int) error {
	list, err := framework.ClientFor(u.T, env.Cluster.AdminConfig()).TakaroV1alpha1().TakaroEndpoints(u.Namespace).List(u.T.Context(),
		metav1.ListOptions{})
	if err != nil {
		return err
	}
	counted := 0
	for _, e := range list.Items {
		counted += int(e.Status.Domains)
	}
	return framework.Unless(counted == want, "%d of %d", counted, want)
}

// versions returns the resourceVersions of all Domains and Secrets of the team.
func (u *team) versions() string {
	domains, err := u.Domains().List(u.T.Context(), metav1.ListOptions{})
	assert.NoError(u.T, err)
	held, err := env.Admin.CoreV1().Secrets(u.Namespace).List(u.T.Context(), metav1.ListOptions{})
	assert.NoError(u.T, err)
	var all strings.Builder
	for _, domain := range domains.Items {
		fmt.Fprintln(&all, domain.Name, domain.ResourceVersion)
	}
	for _, secret := range held.Items {
		fmt.Fprintln(&all, secret.Name, secret.ResourceVersion)
	}
	return all.String()
}
