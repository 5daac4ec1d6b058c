// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

// installationEndpoint is the TakaroEndpoint of the installation's credentials.
var installationEndpoint = types.NamespacedName{Namespace: controllertest.System, Name: nameOf(address)}

// settled returns a Domain in the n-th namespace that uses the installation's credentials, and has
// owned its domain for more than a day.
func settled(n int) *v1alpha1.Domain {
	domain := domainNamed("arena")
	domain.Namespace, domain.UID = fmt.Sprintf("ns%02d", n), types.UID(fmt.Sprintf("uid-%02d", n))
	domain.Finalizers = []string{"test/finalizer"}
	domain.Spec.CredentialsSecretRef = nil
	domain.Status.Ownership.Records[0].Since = metav1.NewTime(time.Now().Add(-25 * time.Hour))
	return domain
}

func young(d *v1alpha1.Domain) {
	d.Status.Ownership.Records[0].Since = metav1.NewTime(time.Now().Add(-23 * time.Hour))
}

// addSettled stores a Domain in each of n namespaces.
func (w *world) addSettled(n int) {
	w.T.Helper()
	for i := range n {
		domain := settled(i)
		w.Add(domain)
		_, err := w.keeper.At(w.T.Context(), domain, resolved("token"))
		require.NoError(w.T, err)
	}
	w.Events()
}

func (w *world) settled(n int) *v1alpha1.Domain {
	w.T.Helper()
	found := &v1alpha1.Domain{}
	require.NoError(w.T, w.Store.Get(w.T.Context(), client.ObjectKeyFromObject(settled(n)), found))
	return found
}

// remove requests the deletion of the Domains in the namespaces from first to last.
func (w *world) remove(first, last int) {
	w.T.Helper()
	for i := first; i <= last; i++ {
		require.NoError(w.T, w.Store.Delete(w.T.Context(), w.settled(i)))
	}
}

// holdOf returns the command that releases the deletion in a namespace, or "" if the deletion is
// not held.
func (w *world) holdOf(n int) string {
	w.T.Helper()
	command, err := w.keeper.DeletionHold(w.T.Context(), w.settled(n))
	require.NoError(w.T, err)
	return command
}

// end completes the deletion in a namespace as the controller of Domains would, and reports whether
// that is allowed.
func (w *world) end(n int) bool {
	w.T.Helper()
	if w.holdOf(n) != "" {
		return false
	}
	domain := w.settled(n)
	domain.Finalizers = nil
	require.NoError(w.T, w.Store.Update(w.T.Context(), domain))
	w.keeper.Forget(client.ObjectKeyFromObject(domain))
	return true
}

func (w *world) installationEndpoint() *v1alpha1.TakaroEndpoint {
	w.T.Helper()
	found := &v1alpha1.TakaroEndpoint{}
	require.NoError(w.T, w.Store.Get(w.T.Context(), installationEndpoint, found))
	return found
}

func (w *world) reconcileInstallation() {
	w.T.Helper()
	_, err := (&reconciler{Keeper: w.keeper}).Reconcile(w.T.Context(), reconcile.Request{NamespacedName: installationEndpoint})
	require.NoError(w.T, err)
}

func (w *world) deletionHold() v1alpha1.Hold {
	w.T.Helper()
	return holdIn(&w.installationEndpoint().Status, v1alpha1.HoldDeletion)
}

func (w *world) releaseInstallation(token string) {
	w.T.Helper()
	e := w.installationEndpoint()
	e.Annotations = map[string]string{hold.ReleaseAnnotation: token}
	require.NoError(w.T, w.Store.Update(w.T.Context(), e))
	w.reconcileInstallation()
}
