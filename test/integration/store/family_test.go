// SPDX-License-Identifier: Apache-2.0

//go:build integration

package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// family is a Ready Domain with the objects in the cluster that it owns.
type family struct {
	t         *testing.T
	namespace string
	takaro    *takaro.Server
	domain    *v1alpha1.Domain
	// late reports whether there is a second Domain, late.
	late bool
	// ghosts are ConfigMaps whose owners do not exist in any store.
	ghosts []string
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
	f.own()
	return f
}

// own creates objects named owned that the Domain arena owns.
func (f *family) own() {
	f.t.Helper()
	owner := framework.OwnedByDomain("arena", f.domain.UID)
	_, err := env.Admin.AppsV1().StatefulSets(f.namespace).Create(f.t.Context(), &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "owned", OwnerReferences: owner},
		Spec: appsv1.StatefulSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}},
			},
		},
	}, metav1.CreateOptions{})
	require.NoError(f.t, err)
	env.OwnedConfigMap(f.t, f.namespace, "owned", owner)
}

// renew applies the environment again after its Domain was lost with the store, with another
// Takaro.
func (f *family) renew() {
	f.t.Helper()
	f.takaro = takaro.New(takaro.Options{})
	require.NoError(f.t, f.takaro.Start())
	f.t.Cleanup(f.takaro.Close)
	patch := fmt.Appendf(nil, `{"stringData":{"adminToken":%q}}`, f.takaro.AdminToken())
	_, err := env.Admin.CoreV1().Secrets(f.namespace).Patch(f.t.Context(), "takaro-admin", types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(f.t, err)
	f.domain = f.make("arena")
}

// awaitCollected waits until the garbage collector has deleted the ghosts and the objects that the
// Domain arena of a lost store owned.
func (f *family) awaitCollected() {
	f.t.Helper()
	for _, name := range append([]string{"owned"}, f.ghosts...) {
		env.AwaitCollected(f.t, f.namespace, name)
	}
	f.ghosts = nil
	framework.Await(f.t, "the deletion of StatefulSet owned", func() error {
		_, err := env.Admin.AppsV1().StatefulSets(f.namespace).Get(f.t.Context(), "owned", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("it still exists"))
	})
}

// make applies a Domain and waits until it is Ready.
func (f *family) make(name string) *v1alpha1.Domain {
	f.t.Helper()
	manifest := fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: %s, namespace: %s}\n"+
		"spec:\n  takaroApiUrl: %s\n  credentialsSecretRef: {name: takaro-admin}\n", name, f.namespace, f.takaro.URL())
	kubectl := env.Cluster.KubectlAs(env.Cluster.Kubeconfig())
	_, _, err := kubectl.WithStdin(strings.NewReader(manifest)).Run(f.t.Context(), "apply", "-f", "-")
	require.NoError(f.t, err)
	_, _, err = kubectl.Run(f.t.Context(), "wait", "-n", f.namespace, "--for=condition=Ready",
		"domains.takaro.roadstead.dev/"+name, "--timeout=60s")
	require.NoError(f.t, err)
	return f.read(name)
}

func (f *family) read(name string) *v1alpha1.Domain {
	f.t.Helper()
	domains := framework.ClientFor(f.t, env.Cluster.AdminConfig()).TakaroV1alpha1().Domains(f.namespace)
	domain, err := domains.Get(f.t.Context(), name, metav1.GetOptions{})
	require.NoError(f.t, err)
	return domain
}

// rounds waits until the garbage collector has repeatedly processed objects that were created after
// those that it must not delete. For some of them it must query the server for the owner.
func (f *family) rounds() {
	f.t.Helper()
	for range 3 {
		f.ghosts = append(f.ghosts, env.Ghost(f.t, f.namespace))
		env.CollectorPass(f.t, f.namespace)
	}
}

// requireAlive requires that no object that the Domain owns and no ghost was changed.
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
	for _, name := range append([]string{"owned"}, f.ghosts...) {
		found, err := env.Admin.CoreV1().ConfigMaps(f.namespace).Get(ctx, name, metav1.GetOptions{})
		require.NoError(f.t, err)
		require.Nil(f.t, found.DeletionTimestamp, name)
	}
	require.Len(f.t, f.takaro.Domains(), domains, "the controller deletes nothing outside")
}

// awaitServed waits until the store is served and the garbage collector has deleted the ghosts,
// whose owners are then confirmed to be absent.
func (f *family) awaitServed() {
	f.t.Helper()
	awaitServed(f.t)
	for _, ghost := range f.ghosts {
		env.AwaitCollected(f.t, f.namespace, ghost)
	}
	f.ghosts = nil
}
