// SPDX-License-Identifier: Apache-2.0

//go:build integration

package atrest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// many creates small environments in bulk. Each has a namespace, a Secret with the admin token, a
// Domain, two MockServers and two Users.
type many struct {
	t      *testing.T
	takaro *takaro.Server
	prefix string
	core   kubernetes.Interface
	kinds  versioned.Interface
	made   int
}

// newMany returns a many without environments. The environments exist until the cluster is stopped,
// so each build of this package has only one test.
func newMany(t *testing.T) *many {
	t.Helper()
	server := framework.NewTakaro(t, takaro.Options{ConnectorListen: "127.0.0.1:0", ReachableInterval: 5 * time.Second})
	config := rest.CopyConfig(env.Cluster.AdminConfig())
	config.QPS, config.WarningHandler = -1, rest.NoWarnings{} // each Domain would cause a warning about http
	m := &many{t: t, takaro: server, prefix: env.Name("many"), kinds: framework.ClientFor(t, config)}
	var err error
	m.core, err = kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return m
}

// make creates n more environments and returns when all are Ready.
func (m *many) make(n int) {
	m.t.Helper()
	begin := time.Now()
	var group errgroup.Group
	group.SetLimit(16)
	for i := m.made; i < m.made+n; i++ {
		group.Go(func() error { return m.makeOne(fmt.Sprintf("%s-%d", m.prefix, i)) })
	}
	require.NoError(m.t, group.Wait())
	m.made += n
	created := time.Since(begin)
	// The interval is one second because each check lists all environments.
	var last error
	err := wait.PollUntilContextTimeout(m.t.Context(), time.Second, 2*framework.Limit, true, func(context.Context) (bool, error) {
		last = m.unready()
		return last == nil, nil
	})
	require.NoError(m.t, err, "%v", last)
	m.t.Logf("%d environments: made in %d ms, all Ready after %d ms, with %d requests to Takaro", n, created.Milliseconds(),
		time.Since(begin).Milliseconds(), m.takaro.Count("", ""))
}

func (m *many) makeOne(namespace string) error {
	ctx, kinds := m.t.Context(), m.kinds.TakaroV1alpha1()
	if _, err := m.core.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		metav1.CreateOptions{}); err != nil {
		return err
	}
	token := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "takaro-admin"},
		StringData: map[string]string{"adminToken": m.takaro.AdminToken()}}
	if _, err := m.core.CoreV1().Secrets(namespace).Create(ctx, token, metav1.CreateOptions{}); err != nil {
		return err
	}
	domain := &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Name: "arena"}, Spec: v1alpha1.DomainSpec{
		TakaroAPIURL: m.takaro.URL(), ConnectorURL: m.takaro.ConnectorURL(),
		CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: "takaro-admin"}}}
	if _, err := kinds.Domains(namespace).Create(ctx, domain, metav1.CreateOptions{}); err != nil {
		return err
	}
	ref := v1alpha1.LocalObjectReference{Name: "arena"}
	for _, name := range []string{"busy", "quiet"} {
		// The simulation itself is not tested here, and hundreds of simulations would use an entire
		// machine.
		server := &v1alpha1.MockServer{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.MockServerSpec{DomainRef: &ref,
			AutoStart: ptr.To(false)}}
		if _, err := kinds.MockServers(namespace).Create(ctx, server, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for _, name := range []string{"alice", "bob"} {
		user := &v1alpha1.User{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.UserSpec{
			Email: name + "@" + namespace + ".example", DomainRef: ref, Roles: []string{"Admin"}}}
		if _, err := kinds.Users(namespace).Create(ctx, user, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// unready returns the number of objects of each kind that are not Ready yet. It reads from the
// watch cache, so that polling causes little load.
func (m *many) unready() error {
	ctx, cached, kinds := m.t.Context(), metav1.ListOptions{ResourceVersion: "0"}, m.kinds.TakaroV1alpha1()
	domains, err := kinds.Domains("").List(ctx, cached)
	if err != nil {
		return err
	}
	servers, err := kinds.MockServers("").List(ctx, cached)
	if err != nil {
		return err
	}
	users, err := kinds.Users("").List(ctx, cached)
	if err != nil {
		return err
	}
	ready := map[string]int{}
	count := func(kind, namespace string, conditions []metav1.Condition) {
		if strings.HasPrefix(namespace, m.prefix+"-") && meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReady) {
			ready[kind]++
		}
	}
	for _, d := range domains.Items {
		if d.Status.Users.Ready == 2 && d.Status.GameServers.Reachable == 2 { // the counts of the Domain are updated last
			count("Domain", d.Namespace, d.Status.Conditions)
		}
	}
	for _, s := range servers.Items {
		count("MockServer", s.Namespace, s.Status.Conditions)
	}
	for _, u := range users.Items {
		count("User", u.Namespace, u.Status.Conditions)
	}
	if ready["Domain"] == m.made && ready["MockServer"] == 2*m.made && ready["User"] == 2*m.made {
		return nil
	}
	return fmt.Errorf("%d environments, Ready are %v", m.made, ready)
}

// versions returns the resourceVersions of all objects that Roadstead writes in the environments.
func (m *many) versions(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, kind := range []string{"domains.takaro.roadstead.dev", "mockservers.takaro.roadstead.dev", "users.takaro.roadstead.dev",
		"statefulsets", "secrets", "pods"} {
		out, _, err := env.Cluster.Kubectl(t.Context(), "get", kind, "-A", "-o",
			`jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} {.metadata.resourceVersion}{"\n"}{end}`)
		require.NoError(t, err)
		for line := range strings.Lines(out) {
			name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
			if strings.HasPrefix(name, m.prefix+"-") {
				found[kind+" "+name] = version
			}
		}
	}
	require.Len(t, found, 16*m.made, "for each: a Domain, two MockServers, two Users, two StatefulSets, two pods, seven Secrets")
	return found
}
