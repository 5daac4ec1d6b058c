// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// DeleteMany requests the deletion of a Domain in Namespace, and of one in each of three other
// namespaces. All have owned their domain for two days and use the installation's credentials, so
// that these deletions are held. It returns their TakaroEndpoint, which ensure creates.
func (w *World[T]) DeleteMany(name string, ensure func(*v1alpha1.Domain)) *v1alpha1.TakaroEndpoint {
	w.T.Helper()
	mine := &v1alpha1.Domain{}
	require.NoError(w.T, w.Store.Get(w.T.Context(), types.NamespacedName{Namespace: Namespace, Name: name}, mine))
	mine.Spec.CredentialsSecretRef = nil
	controllerutil.AddFinalizer(mine, "test/hold")
	require.NoError(w.T, w.Store.Update(w.T.Context(), mine))
	all := []*v1alpha1.Domain{mine}
	for i := range 3 {
		other := mine.DeepCopy()
		other.Namespace, other.UID, other.ResourceVersion = fmt.Sprintf("other%d", i), types.UID(fmt.Sprintf("other%d", i)), ""
		w.Add(other)
		all = append(all, other)
	}
	ensure(mine)
	for _, domain := range all {
		require.NoError(w.T, w.Store.Get(w.T.Context(), client.ObjectKeyFromObject(domain), domain))
		for i := range domain.Status.Ownership.Records {
			domain.Status.Ownership.Records[i].Since = metav1.NewTime(time.Now().Add(-48 * time.Hour))
		}
		require.NoError(w.T, w.Store.Status().Update(w.T.Context(), domain))
		require.NoError(w.T, w.Store.Delete(w.T.Context(), domain))
	}
	endpoints := &v1alpha1.TakaroEndpointList{}
	require.NoError(w.T, w.Store.List(w.T.Context(), endpoints, client.InNamespace(System)))
	require.Len(w.T, endpoints.Items, 1)
	return &endpoints.Items[0]
}

// ReleaseMany stores the release of the deletions that DeleteMany requested. A controller that is
// started afterwards applies it.
func (w *World[T]) ReleaseMany(endpoint *v1alpha1.TakaroEndpoint) {
	w.T.Helper()
	require.NoError(w.T, w.Store.Get(w.T.Context(), client.ObjectKeyFromObject(endpoint), endpoint))
	endpoint.Status.Holds = []v1alpha1.Hold{{Type: v1alpha1.HoldDeletion, Released: []string{Namespace, "other0", "other1", "other2"}}}
	require.NoError(w.T, w.Store.Status().Update(w.T.Context(), endpoint))
}
