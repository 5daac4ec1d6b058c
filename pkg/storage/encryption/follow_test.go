// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestFollow(t *testing.T) {
	ctx := t.Context()
	client := fake.NewClientset()
	seeds, err := Ensure(ctx, client, "system")
	require.NoError(t, err)
	transformers, _ := all(t, seeds...)
	changed := make(chan struct{}, 10)
	require.NoError(t, transformers.Follow(ctx, client, "system", func() { changed <- struct{}{} }))
	secrets := client.CoreV1().Secrets("system")
	write := func(text string) {
		t.Helper()
		secret, err := secrets.Get(ctx, SecretName, metav1.GetOptions{})
		require.NoError(t, err)
		secret.Data[SeedsKey] = []byte(text)
		_, err = secrets.Update(ctx, secret, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	line := func(b byte) string { return base64.StdEncoding.EncodeToString(seed(b)) + "\n" }

	write(line(2) + base64.StdEncoding.EncodeToString(seeds[0]))
	<-changed
	written, err := transformers.TransformerForResource(users).TransformToStorage(ctx, plain, where)
	require.NoError(t, err)
	rotated, _ := all(t, seed(2))
	_, _, err = rotated.TransformerForResource(users).TransformFromStorage(ctx, written, where)
	require.NoError(t, err, "the new first seed writes")

	write("nothing of use")
	require.NoError(t, secrets.Delete(ctx, SecretName, metav1.DeleteOptions{}))
	_, err = secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: SecretName},
		Data: map[string][]byte{SeedsKey: []byte(line(2) + line(3))}}, metav1.CreateOptions{})
	require.NoError(t, err)
	<-changed
	assert.Empty(t, changed, "what could not be used changed nothing")
	_, _, err = transformers.TransformerForResource(users).TransformFromStorage(ctx, written, where)
	require.NoError(t, err)
}
