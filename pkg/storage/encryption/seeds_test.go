// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func seed(b byte) []byte { return bytes.Repeat([]byte{b}, SeedSize) }

func TestParse(t *testing.T) {
	line := func(b byte) string { return base64.StdEncoding.EncodeToString(seed(b)) }
	seeds, err := parse([]byte("\n  " + line(1) + "\r\n\n" + line(2)))
	require.NoError(t, err)
	assert.Equal(t, [][]byte{seed(1), seed(2)}, seeds)
	for text, want := range map[string]string{"": "no seed", "\n": "no seed", line(1) + "\nsecret text": "line 2", base64.StdEncoding.EncodeToString([]byte("short")): "line 1"} {
		_, err := parse([]byte(text))
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "secret text")
	}
}

func TestEnsure(t *testing.T) {
	client := fake.NewClientset()
	first, err := Ensure(t.Context(), client, "system")
	require.NoError(t, err)
	require.Len(t, first, 1)
	assert.Len(t, first[0], SeedSize)
	second, err := Ensure(t.Context(), client, "system")
	require.NoError(t, err)
	assert.Equal(t, first, second)
	elsewhere, err := Ensure(t.Context(), fake.NewClientset(), "system")
	require.NoError(t, err)
	assert.NotEqual(t, first, elsewhere)

	existing, err := Existing(t.Context(), client, "system")
	require.NoError(t, err)
	assert.Equal(t, first, existing)
	none, err := Existing(t.Context(), fake.NewClientset(), "system")
	require.NoError(t, err)
	assert.Empty(t, none, "and none is made")

	broken := fake.NewClientset(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: SecretName}})
	_, err = Ensure(t.Context(), broken, "system")
	assert.ErrorContains(t, err, "system/"+SecretName)
}

// Of two servers that start together one is second to make the Secret, and takes the first one's seeds.
func TestEnsureTogether(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("create", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		require.NoError(t, client.Tracker().Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: SecretName},
			Data: map[string][]byte{SeedsKey: []byte(base64.StdEncoding.EncodeToString(seed(7)))}}))
		return true, nil, apierrors.NewAlreadyExists(corev1.Resource("secrets"), SecretName)
	})
	seeds, err := Ensure(t.Context(), client, "system")
	require.NoError(t, err)
	assert.Equal(t, [][]byte{seed(7)}, seeds)

	client = fake.NewClientset()
	client.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("the host is down")
	})
	_, err = Ensure(t.Context(), client, "system")
	assert.True(t, strings.Contains(err.Error(), "the host is down"))
}
