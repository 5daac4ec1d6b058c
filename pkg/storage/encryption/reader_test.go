// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestReader(t *testing.T) {
	server, _ := all(t, seed(1))
	written, err := server.TransformerForResource(users).TransformToStorage(t.Context(), plain, where)
	require.NoError(t, err)
	client := fake.NewClientset()
	reader, err := NewReader(client, "system")
	require.NoError(t, err)
	require.ErrorContains(t, reader.Refresh(t.Context()), "get Secret system/roadstead-encryption")
	_, _, err = reader.TransformerForResource(users).TransformFromStorage(t.Context(), written, where)
	require.ErrorIs(t, err, ErrNotReady)

	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: SecretName}, Data: render([][]byte{seed(2)})}
	_, err = client.CoreV1().Secrets("system").Create(t.Context(), secret, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, reader.Refresh(t.Context()))
	_, _, err = reader.TransformerForResource(users).TransformFromStorage(t.Context(), written, where)
	require.ErrorIs(t, err, ErrUnknownSeed)

	secret.Data = render([][]byte{seed(1)})
	_, err = client.CoreV1().Secrets("system").Update(t.Context(), secret, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, reader.Refresh(t.Context()))
	read, _, err := reader.TransformerForResource(users).TransformFromStorage(t.Context(), written, where)
	require.NoError(t, err)
	require.Equal(t, plain, read)
}
