// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestDelete(t *testing.T) {
	mine := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "mine", UID: "1"}}
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "other", UID: "2"}}
	store := fake.NewClientBuilder().WithObjects(mine).Build()
	owned := NewOwned(NewReader(store, store), store)
	require.NoError(t, owned.Delete(t.Context(), mine, "s"), "there is none")
	require.NoError(t, owned.Apply(t.Context(), mine, "s", map[string][]byte{"a": nil}))

	there := func() bool {
		err := store.Get(t.Context(), types.NamespacedName{Namespace: "n", Name: "s"}, &corev1.Secret{})
		if err != nil {
			require.True(t, apierrors.IsNotFound(err))
		}
		return err == nil
	}
	require.NoError(t, owned.Delete(t.Context(), other, "s"))
	assert.True(t, there(), "that of somebody else is left alone")
	require.NoError(t, owned.Delete(t.Context(), mine, "s"))
	assert.False(t, there())
	found, err := owned.Find(t.Context(), mine, "s")
	require.NoError(t, err)
	assert.Nil(t, found, "nothing is remembered")
}
