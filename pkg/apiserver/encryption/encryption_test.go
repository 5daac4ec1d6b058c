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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

var (
	users   = schema.GroupResource{Group: "g", Resource: "users"}
	domains = schema.GroupResource{Group: "g", Resource: "domains"}
	where   = value.DefaultContext("/registry/g/users/ns/name")
	plain   = []byte("a stored object with a password")
)

func seed(b byte) []byte { return bytes.Repeat([]byte{b}, SeedSize) }

func transformer(t *testing.T, seeds ...[]byte) value.Transformer {
	t.Helper()
	all, err := NewTransformers(seeds, users)
	require.NoError(t, err)
	return all.TransformerForResource(users)
}

func TestRotation(t *testing.T) {
	ctx := t.Context()
	old, rotated := transformer(t, seed(1)), transformer(t, seed(2), seed(1))
	written, err := old.TransformToStorage(ctx, plain, where)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(written, []byte("k8s:enc:roadstead:v1:")))
	assert.NotContains(t, string(written), "password")

	read, stale, err := old.TransformFromStorage(ctx, written, where)
	require.NoError(t, err)
	assert.Equal(t, plain, read)
	assert.False(t, stale)
	read, stale, err = rotated.TransformFromStorage(ctx, written, where)
	require.NoError(t, err)
	assert.Equal(t, plain, read)
	assert.True(t, stale, "the next write takes the first seed")

	anew, err := rotated.TransformToStorage(ctx, plain, where)
	require.NoError(t, err)
	read, _, err = transformer(t, seed(2)).TransformFromStorage(ctx, anew, where)
	require.NoError(t, err)
	assert.Equal(t, plain, read)
	_, _, err = old.TransformFromStorage(ctx, anew, where)
	assert.ErrorIs(t, err, ErrUnknownSeed)
	assert.ErrorContains(t, err, SecretName)
}

func TestWhatIsRefused(t *testing.T) {
	ctx, ours := t.Context(), transformer(t, seed(1))
	written, err := ours.TransformToStorage(ctx, plain, where)
	require.NoError(t, err)
	again, err := ours.TransformToStorage(ctx, plain, where)
	require.NoError(t, err)
	assert.NotEqual(t, written, again, "a fresh key for every write")
	_, _, err = ours.TransformFromStorage(ctx, plain, where)
	assert.ErrorIs(t, err, ErrUnknownSeed, "plain data")
	_, _, err = ours.TransformFromStorage(ctx, written, value.DefaultContext("/registry/g/users/ns/other"))
	assert.Error(t, err, "an object that was moved to another key")
	written[len(written)-1] ^= 1
	_, _, err = ours.TransformFromStorage(ctx, written, where)
	assert.Error(t, err, "a changed one")

	all, err := NewTransformers([][]byte{seed(1)}, users)
	require.NoError(t, err)
	kept, err := all.TransformerForResource(domains).TransformToStorage(ctx, plain, where)
	require.NoError(t, err)
	assert.Equal(t, plain, kept, "others are not encrypted")
	_, err = NewTransformers([][]byte{{1}}, users)
	assert.Error(t, err, "a short seed")
}

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
