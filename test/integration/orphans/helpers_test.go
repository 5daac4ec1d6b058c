// SPDX-License-Identifier: Apache-2.0

//go:build integration

package orphans

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	typed "roadstead.dev/roadstead/pkg/generated/clientset/versioned/typed/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
	"roadstead.dev/roadstead/test/framework/process"
)

// controller is a roadstead-controller of one test.
type controller struct {
	*process.Process
	t            *testing.T
	log, metrics string
}

// startController starts a controller that sweeps after one second. It is stopped at the end of the
// test.
func startController(t *testing.T, args ...string) *controller {
	t.Helper()
	dir, name := env.Cluster.Dir(), env.Name(install.Controller)
	kubeconfig := filepath.Join(dir, name+".kubeconfig")
	require.NoError(t, env.Cluster.WriteServiceAccountKubeconfig(t.Context(), kubeconfig, install.Namespace, install.Controller, time.Hour))
	port, err := env.Cluster.ReservePort()
	require.NoError(t, err)
	program, err := filepath.Abs("../../../bin/roadstead-controller")
	require.NoError(t, err)
	c := &controller{t: t, log: filepath.Join(dir, name+".log"), metrics: "http://127.0.0.1:" + port + "/metrics"}
	c.Process, err = process.Start(process.Options{Program: program, Dir: dir, Log: c.log, Args: append([]string{
		"--kubeconfig=" + kubeconfig, "--namespace=" + install.Namespace, "--allow-loopback", "--leader-elect=false",
		"--metrics-bind-address=127.0.0.1:" + port, "--orphan-sweep-wait=1s", "--takaro-qps=500", "--takaro-burst=500",
	}, args...)})
	require.NoError(t, err)
	t.Cleanup(c.end)
	return c
}

// end stops the controller. It can be called more than once.
func (c *controller) end() { require.NoError(c.t, c.Stop(30*time.Second)) }

// metric returns the value of a metric. It returns an error while the controller does not serve.
func (c *controller) metric(series string) (float64, error) {
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.metrics, nil)
	require.NoError(c.t, err)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("no series %s", series)
}

// awaitMetric waits until a series has a value.
func (c *controller) awaitMetric(series string, want float64) {
	c.t.Helper()
	framework.Await(c.t, series, func() error {
		value, err := c.metric(series)
		if err == nil && value != want {
			err = fmt.Errorf("it is %v, not %v", value, want)
		}
		return err
	})
}

// awaitSaid waits until the log contains a text the given number of times.
func (c *controller) awaitSaid(text string, times int) {
	c.t.Helper()
	framework.Await(c.t, text, func() error {
		log, err := os.ReadFile(c.log)
		if n := strings.Count(string(log), text); err == nil && n < times {
			err = fmt.Errorf("the log has it %d times", n)
		}
		return err
	})
}

// writeRecord writes a record of a store that belongs to a cluster into the namespace of an
// installation.
func writeRecord(t *testing.T, namespace string, cluster types.UID) {
	t.Helper()
	_, err := env.Admin.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: storeidentity.ConfigMapName},
		Data: storeidentity.Record{Anchor: storeidentity.Anchor{StoreID: "of a test", Epoch: 1}, EtcdClusterID: "e",
			ClusterUID: cluster}.Data(),
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// clusterUID returns the UID in the record of this cluster.
func clusterUID(t *testing.T) types.UID {
	t.Helper()
	system, err := env.Admin.CoreV1().Namespaces().Get(t.Context(), metav1.NamespaceSystem, metav1.GetOptions{})
	require.NoError(t, err)
	return system.UID
}

// ensureRecord creates the record of the installation if its server has not written one.
func ensureRecord(t *testing.T) {
	t.Helper()
	_, err := env.Admin.CoreV1().ConfigMaps(install.Namespace).Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		writeRecord(t, install.Namespace, clusterUID(t))
		return
	}
	require.NoError(t, err)
}

// api returns a typed client of the administrator for Roadstead's kinds.
func api(t *testing.T) typed.TakaroV1alpha1Interface {
	t.Helper()
	return framework.ClientFor(t, env.Cluster.AdminConfig()).TakaroV1alpha1()
}

func newTakaro(t *testing.T) *takaro.Server {
	t.Helper()
	return framework.NewTakaro(t, takaro.Options{})
}

// tokenSecret is the name of the Secret with the token of the simulated Takaro.
const tokenSecret = "takaro-admin"

// environment creates a namespace with a Domain, a User and a MockServer, all named arena.
func environment(t *testing.T, server *takaro.Server) string {
	t.Helper()
	namespace := env.Namespace(t)
	_, err := env.Admin.CoreV1().Secrets(namespace).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: tokenSecret}, StringData: map[string]string{"adminToken": server.AdminToken()},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	named := metav1.ObjectMeta{Name: "arena"}
	_, err = api(t).Domains(namespace).Create(t.Context(), &v1alpha1.Domain{ObjectMeta: named, Spec: v1alpha1.DomainSpec{
		TakaroAPIURL: server.URL(), CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: tokenSecret, Key: "adminToken"},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = api(t).Users(namespace).Create(t.Context(), &v1alpha1.User{ObjectMeta: named, Spec: v1alpha1.UserSpec{
		// An e-mail address is unique in Takaro and has one password.
		Email: "ann" + namespace[strings.LastIndex(namespace, "-"):] + "@example.com", DomainRef: v1alpha1.LocalObjectReference{Name: "arena"},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = api(t).MockServers(namespace).Create(t.Context(), &v1alpha1.MockServer{ObjectMeta: named, Spec: v1alpha1.MockServerSpec{
		DomainRef: &v1alpha1.LocalObjectReference{Name: "arena"},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return namespace
}

// awaitReady waits for the User, which becomes Ready after its Domain.
func awaitReady(t *testing.T, namespace string) {
	t.Helper()
	framework.Await(t, "User arena in "+namespace, func() error {
		user, err := api(t).Users(namespace).Get(t.Context(), "arena", metav1.GetOptions{})
		if err == nil && !meta.IsStatusConditionTrue(user.Status.Conditions, v1alpha1.ConditionReady) {
			err = fmt.Errorf("it is %+v", user.Status)
		}
		return err
	})
}

// objectsIn returns the number of Roadstead objects in a namespace, which may no longer exist, and
// the number of those that are being deleted.
func objectsIn(t *testing.T, namespace string) (count, deleting int) {
	t.Helper()
	domains, err := api(t).Domains(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	users, err := api(t).Users(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	servers, err := api(t).MockServers(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var all []metav1.Object
	for i := range domains.Items {
		all = append(all, &domains.Items[i])
	}
	for i := range users.Items {
		all = append(all, &users.Items[i])
	}
	for i := range servers.Items {
		all = append(all, &servers.Items[i])
	}
	for _, object := range all {
		if object.GetDeletionTimestamp() != nil {
			deleting++
		}
	}
	return len(all), deleting
}

// awaitEmpty waits until a namespace contains no Roadstead objects.
func awaitEmpty(t *testing.T, namespace string) {
	t.Helper()
	framework.Await(t, "the end of the objects in "+namespace, func() error {
		if count, _ := objectsIn(t, namespace); count > 0 {
			return fmt.Errorf("%d are there", count)
		}
		return nil
	})
}

// vanish removes a namespace without its content, as users do with a namespace that is stuck in
// Terminating. A race has the same result.
func vanish(t *testing.T, name string) {
	t.Helper()
	namespaces := env.Admin.CoreV1().Namespaces()
	namespace, err := namespaces.Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	namespace.Spec.Finalizers = nil
	_, err = namespaces.Finalize(t.Context(), namespace, metav1.UpdateOptions{})
	require.NoError(t, err)
	framework.Await(t, "the end of namespace "+name, func() error {
		err := namespaces.Delete(t.Context(), name, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is still there: %w", err)
	})
}

// awaitEvent waits for an event about the record of an installation and returns its text.
func awaitEvent(t *testing.T, namespace, reason, contains string) {
	t.Helper()
	framework.Await(t, "event "+reason, func() error {
		list, err := env.Admin.EventsV1().Events(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range list.Items {
			if event.Regarding.Name == storeidentity.ConfigMapName && event.Reason == reason && strings.Contains(event.Note, contains) {
				return nil
			}
		}
		return fmt.Errorf("not among %d events", len(list.Items))
	})
}
