// SPDX-License-Identifier: Apache-2.0

//go:build integration

package orphans

import (
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework/install"
)

// Log messages and metrics of a controller that does not sweep.
const (
	saidIdentity     = "it is not certain that they belong to this cluster"
	heldUnseen       = `roadstead_held{hold="NamespaceEndNotSeen",scope="installation"}`
	heldIdentity     = `roadstead_held{hold="StoreIdentity",scope="installation"}`
	deletedDomains   = `roadstead_orphans_deleted_total{kind="Domain"}`
	saidWatching     = "Watching namespaces"
	enoughRepetition = 3
)

func TestOrphansGoAndTakeTheirTakaroSideAlong(t *testing.T) {
	ensureRecord(t)
	takaro := newTakaro(t)
	running := startController(t)
	running.awaitSaid(saidWatching, 1)
	lost, kept := environment(t, takaro), environment(t, takaro)
	awaitReady(t, lost)
	awaitReady(t, kept)
	require.Len(t, takaro.Domains(), 2)
	survivor, err := api(t).Domains(kept).Get(t.Context(), "arena", metav1.GetOptions{})
	require.NoError(t, err)

	vanish(t, lost)
	awaitEmpty(t, lost)
	running.awaitMetric(deletedDomains, 1)
	awaitEvent(t, install.Namespace, "OrphanDeleted", "Domain "+lost+"/arena was deleted")
	require.Len(t, takaro.Domains(), 1, "the domain in Takaro went with it")

	count, deleting := objectsIn(t, kept)
	require.Equal(t, []int{3, 0}, []int{count, deleting}, "a living namespace is not touched")
	again, err := api(t).Domains(kept).Get(t.Context(), "arena", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, survivor.UID, again.UID)
	require.Equal(t, survivor.Status.DomainID, takaro.Domains()[0].ID)
	require.NoError(t, env.Admin.CoreV1().Namespaces().Delete(t.Context(), kept, metav1.DeleteOptions{}))
	awaitEmpty(t, kept)
}

func TestAnOrphanGoesEvenWithoutTheSecretThatReachesTakaro(t *testing.T) {
	ensureRecord(t)
	takaro := newTakaro(t)
	running := startController(t)
	lost := environment(t, takaro)
	awaitReady(t, lost)
	running.end()
	vanish(t, lost)
	secrets := env.Admin.CoreV1().Secrets(lost)
	_, err := secrets.Patch(t.Context(), tokenSecret, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	require.NoError(t, secrets.Delete(t.Context(), tokenSecret, metav1.DeleteOptions{}))

	running = startController(t)
	running.awaitMetric(heldUnseen, 1)
	release(t, install.Namespace)
	awaitEmpty(t, lost)
	running.awaitSaid("The Takaro domain is left as it is; takaro-sweep finds it", 1)
	require.Len(t, takaro.Domains(), 1)
}

// unconfigured returns a Domain that waits for an endpoint.
func unconfigured() *v1alpha1.Domain {
	return &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{GenerateName: "domain-"},
		Spec: v1alpha1.DomainSpec{TakaroAPIURL: "https://takaro.test"}}
}

// TestNothingIsSweptWithoutAFittingRecord starts the controllers of separate installations, because
// the record of the shared installation belongs to its server.
func TestNothingIsSweptWithoutAFittingRecord(t *testing.T) {
	for name, cluster := range map[string]types.UID{"no record": "", "of another cluster": "another"} {
		t.Run(name, func(t *testing.T) {
			installation := env.Namespace(t)
			allowRecord(t, installation)
			if cluster != "" {
				writeRecord(t, installation, cluster)
			}
			lost := env.Namespace(t)
			_, err := api(t).Domains(lost).Create(t.Context(), unconfigured(), metav1.CreateOptions{})
			require.NoError(t, err)
			running := startController(t, "--namespace="+installation)
			if cluster == "" {
				running.awaitSaid("Waiting for roadstead-apiserver to record which store it uses", 1)
				vanish(t, lost)
			} else {
				running.awaitSaid(saidWatching, 1)
				vanish(t, lost)
				running.awaitMetric(heldIdentity, 1)
				running.awaitSaid(saidIdentity, enoughRepetition)
			}
			count, deleting := objectsIn(t, lost)
			require.Equal(t, []int{1, 0}, []int{count, deleting})

			if cluster != "" {
				require.NoError(t, env.Admin.CoreV1().ConfigMaps(installation).Delete(t.Context(), storeidentity.ConfigMapName, metav1.DeleteOptions{}))
			}
			writeRecord(t, installation, clusterUID(t))
			if cluster == "" { // the controller was not running when the namespace was deleted
				running.awaitMetric(heldUnseen, 1)
				release(t, installation)
			}
			awaitEmpty(t, lost)
			running.awaitMetric(heldIdentity, 0)
		})
	}
}

// allowRecord grants the controller in another namespace the rights that the shipped Role grants in
// its own namespace.
func allowRecord(t *testing.T, namespace string) {
	t.Helper()
	shipped, err := env.Admin.RbacV1().Roles(install.Namespace).Get(t.Context(), install.Controller, metav1.GetOptions{})
	require.NoError(t, err)
	_, err = env.Admin.RbacV1().Roles(namespace).Create(t.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: install.Controller},
		Rules: shipped.Rules}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = env.Admin.RbacV1().RoleBindings(namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: install.Controller},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: install.Controller},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: install.Namespace, Name: install.Controller}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}
