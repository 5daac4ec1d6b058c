// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package store tests what happens to a cluster when the store of its installation is lost, exchanged, old, or away: with a
// real garbage collector, and kubectl as the one who looks.
package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/hack/cluster"
	"roadstead.dev/roadstead/hack/local"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/integration/framework"
)

var env *framework.Env

// work is the installation's folder.
var work string

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run is not framework.Main: a store that is taken away leaves errors in the server's log.
func run(m *testing.M) int {
	ctx := context.Background()
	control, err := cluster.Start(ctx, cluster.Options{AuditLevel: "Metadata"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := 1
	work = filepath.Join(control.Dir(), "roadstead")
	roadstead, err := local.Install(ctx, local.Options{Cluster: control, Dir: work, Restart: true, ControllerArgs: []string{"--takaro-compare-period=2s"}})
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

// data is the folder of the embedded etcd.
func data() string { return filepath.Join(work, "etcd") }

// program runs roadstead-apiserver with a subcommand and gives what it says on both outputs.
func program(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "../../../bin/roadstead-apiserver", args...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// accept runs accept-store as the administrator.
func accept(t *testing.T, id string, more ...string) (string, error) {
	t.Helper()
	return program(t, append([]string{"accept-store", "--kubeconfig=" + env.Cluster.Kubeconfig(), "--namespace=roadstead-system", "--id=" + id, "--reason=a test"}, more...)...)
}

// requireAccepted accepts the store, whatever is deleted then.
func requireAccepted(t *testing.T, id string) {
	t.Helper()
	out, err := accept(t, id, "--yes")
	require.NoError(t, err, out)
	awaitServed(t)
}

// awaitServed waits until Domains can be listed, which tells that the store is served.
func awaitServed(t *testing.T) {
	t.Helper()
	framework.Await(t, "the store is served", func() error {
		_, _, err := env.Cluster.Kubectl(t.Context(), "get", "domains.takaro.roadstead.dev", "-A")
		return err
	})
}

// stopServer stops the server.
func stopServer(t *testing.T) {
	t.Helper()
	require.NoError(t, env.Roadstead.APIServer().Stop())
}

// startServer starts the server and waits until it answers, be it with a refusal.
func startServer(t *testing.T) {
	t.Helper()
	require.NoError(t, env.Roadstead.APIServer().StartRefusing(t.Context()))
	require.NoError(t, env.Roadstead.AwaitAvailable(t.Context()), "discovery is served")
	// The aggregation layer forgets the kinds of a server that is away, and asks again within seconds.
	framework.Await(t, "discovery of our kinds", func() error {
		out, _, err := env.Cluster.Kubectl(t.Context(), "api-resources", "--api-group=takaro.roadstead.dev")
		if err == nil && !strings.Contains(out, "mockservers") {
			err = errors.New("not listed yet")
		}
		return err
	})
}

// family is a Ready Domain with what it owns in the cluster.
type family struct {
	t         *testing.T
	namespace string
	takaro    *takaro.Server
	domain    *v1alpha1.Domain
	// late tells whether there is a second Domain, late.
	late bool
	// rounds counts those of the garbage collector that were awaited.
	rounds int
}

func newFamily(t *testing.T) *family {
	t.Helper()
	f := &family{t: t, namespace: env.Namespace(t), takaro: takaro.New(takaro.Options{})}
	require.NoError(t, f.takaro.Start())
	t.Cleanup(f.takaro.Close)
	_, err := env.Admin.CoreV1().Secrets(f.namespace).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "takaro-admin"}, StringData: map[string]string{"adminToken": f.takaro.AdminToken()},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	f.domain = f.make("arena")
	owner := []metav1.OwnerReference{{APIVersion: "takaro.roadstead.dev/v1alpha1", Kind: "Domain", Name: "arena", UID: f.domain.UID}}
	_, err = env.Admin.AppsV1().StatefulSets(f.namespace).Create(t.Context(), &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "owned", OwnerReferences: owner},
		Spec: appsv1.StatefulSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}},
			},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	f.own("owned", owner[0])
	return f
}

// make applies a Domain and waits until it is Ready.
func (f *family) make(name string) *v1alpha1.Domain {
	f.t.Helper()
	_, _, err := env.Cluster.KubectlAs(env.Cluster.Kubeconfig()).WithStdin(strings.NewReader(fmt.Sprintf(
		"apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: %s, namespace: %s}\nspec:\n  takaroApiUrl: %s\n  credentialsSecretRef: {name: takaro-admin}\n",
		name, f.namespace, f.takaro.URL()))).Run(f.t.Context(), "apply", "-f", "-")
	require.NoError(f.t, err)
	_, _, err = env.Cluster.Kubectl(f.t.Context(), "wait", "-n", f.namespace, "--for=condition=Ready", "domains.takaro.roadstead.dev/"+name, "--timeout=60s")
	require.NoError(f.t, err)
	domain, err := framework.ClientFor(f.t, env.Cluster.AdminConfig()).TakaroV1alpha1().Domains(f.namespace).Get(f.t.Context(), name, metav1.GetOptions{})
	require.NoError(f.t, err)
	return domain
}

// own makes a ConfigMap with an owner.
func (f *family) own(name string, owner metav1.OwnerReference) {
	f.t.Helper()
	_, err := env.Admin.CoreV1().ConfigMaps(f.namespace).Create(f.t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{owner}},
	}, metav1.CreateOptions{})
	require.NoError(f.t, err)
}

// round waits until the garbage collector has dealt with objects that were made after those it must leave alone: one whose
// owner, a Pod, is not there, and that it must delete, and before that one whose owner would be a Domain that it has never
// heard of, so that it has to ask our server.
func (f *family) round() {
	f.t.Helper()
	f.rounds++
	f.own(fmt.Sprintf("ghost-%d", f.rounds), metav1.OwnerReference{
		APIVersion: "takaro.roadstead.dev/v1alpha1", Kind: "Domain", Name: "ghost", UID: types.UID(fmt.Sprintf("0c3c4b4e-0000-4000-8000-%012d", f.rounds)),
	})
	name := fmt.Sprintf("orphan-%d", f.rounds)
	f.own(name, metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: "never", UID: "0c3c4b4e-1111-4111-8111-111111111111"})
	f.awaitGone(name)
}

func (f *family) awaitGone(configMap string) {
	f.t.Helper()
	framework.Await(f.t, "the end of ConfigMap "+configMap, func() error {
		_, err := env.Admin.CoreV1().ConfigMaps(f.namespace).Get(f.t.Context(), configMap, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("still there"))
	})
}

// requireAlive requires that nothing that the Domain owns was touched, and no ghost's either.
func (f *family) requireAlive() {
	f.t.Helper()
	ctx := f.t.Context()
	_, err := env.Admin.AppsV1().StatefulSets(f.namespace).Get(ctx, "owned", metav1.GetOptions{})
	require.NoError(f.t, err)
	secrets, domains := []string{"arena-root", "arena-registration-token"}, 1
	if f.late {
		secrets, domains = append(secrets, "late-root", "late-registration-token"), 2
	}
	for _, name := range secrets {
		secret, err := env.Admin.CoreV1().Secrets(f.namespace).Get(ctx, name, metav1.GetOptions{})
		require.NoError(f.t, err)
		require.Nil(f.t, secret.DeletionTimestamp)
	}
	names := []string{"owned"}
	for n := range f.rounds {
		names = append(names, fmt.Sprintf("ghost-%d", n+1))
	}
	for _, name := range names {
		found, err := env.Admin.CoreV1().ConfigMaps(f.namespace).Get(ctx, name, metav1.GetOptions{})
		require.NoError(f.t, err)
		require.Nil(f.t, found.DeletionTimestamp, name)
	}
	require.Len(f.t, f.takaro.Domains(), domains, "the controller deletes nothing outside")
}

// requireRefused requires what a refused store means for everybody: 503 that tells what is wrong and what to do, discovery
// as ever, other API groups as ever, and no object harmed over several rounds of the garbage collector.
func (f *family) requireRefused(state string, says ...string) {
	f.t.Helper()
	ctx := f.t.Context()
	for _, args := range [][]string{
		{"get", "domains.takaro.roadstead.dev", "-n", f.namespace}, {"get", "domains.takaro.roadstead.dev", "arena", "-n", f.namespace},
		{"get", "users.takaro.roadstead.dev", "-A"}, {"delete", "mockservers.takaro.roadstead.dev", "x", "-n", f.namespace},
	} {
		out, problems, err := env.Cluster.Kubectl(ctx, args...)
		require.Error(f.t, err, out)
		require.Empty(f.t, out)
		for _, text := range append(says, "Error from server (ServiceUnavailable)", "roadstead-apiserver accept-store --id=") {
			require.Contains(f.t, problems, text, "kubectl %v", args)
		}
		f.t.Logf("$ kubectl %s\n%s", strings.Join(args, " "), problems)
	}
	out, _, err := env.Cluster.Kubectl(ctx, "api-resources", "--api-group=takaro.roadstead.dev")
	require.NoError(f.t, err)
	require.Contains(f.t, out, "mockservers")
	_, _, err = env.Cluster.Kubectl(ctx, "get", "pods", "-n", f.namespace)
	require.NoError(f.t, err)
	verbose := framework.Do(f.t, env.Cluster.AdminConfig(), framework.Request{Path: "/readyz"})
	require.Equal(f.t, 200, verbose.Code, "the host is not affected")
	health := f.server("/readyz?verbose")
	require.Contains(f.t, health, "[-]store-identity failed")
	require.NotContains(f.t, f.server("/readyz?exclude=store-identity"), "failed", "the pod stays ready")
	metrics := f.server("/metrics")
	require.Contains(f.t, metrics, fmt.Sprintf("roadstead_store_identity_state{state=%q} 1", state))
	require.Contains(f.t, metrics, `roadstead_requests_refused{cause="store-identity",resource=""} 1`)
	f.round()
	for f.rounds < 3 {
		f.round()
	}
	f.requireAlive()
}

// server asks roadstead-apiserver itself as an administrator.
func (f *family) server(path string) string {
	f.t.Helper()
	config := *env.Cluster.AdminConfig()
	config.Host = "https://" + env.Roadstead.APIServerAddr()
	config.TLSClientConfig.Insecure, config.TLSClientConfig.CAData, config.TLSClientConfig.CAFile = true, nil, ""
	return string(framework.Do(f.t, &config, framework.Request{Path: path}).Body)
}
