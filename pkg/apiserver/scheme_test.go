// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"bytes"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

const (
	rounds = 200
	marker = "MARKED-PASSWORD"
)

// anyUsers generates Users with random values in all fields, and with a recognizable password.
func anyUsers(t *testing.T) func() *takaro.User {
	t.Helper()
	filler := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(1), Codecs)
	return func() *takaro.User {
		user := &takaro.User{}
		filler.Fill(user)
		user.Spec.Password = ptrTo(writeonly.String(marker))
		if user.Annotations == nil {
			user.Annotations = map[string]string{}
		}
		return user
	}
}

func ptrTo[T any](value T) *T { return &value }

// everyEncoder calls check with the bytes of an object in every encoding of a codec factory.
func everyEncoder(t *testing.T, codecs serializer.CodecFactory, object runtime.Object, check func(media string,
	text []byte, codec runtime.Codec)) {
	t.Helper()
	for _, info := range codecs.SupportedMediaTypes() {
		codec := codecs.CodecForVersions(info.Serializer, info.Serializer, v1alpha1.SchemeGroupVersion, takaro.SchemeGroupVersion)
		var text bytes.Buffer
		require.NoError(t, codec.Encode(object, &text), info.MediaType)
		check(info.MediaType, text.Bytes(), codec)
	}
}

func TestWhatServesNeverShowsAPassword(t *testing.T) {
	next := anyUsers(t)
	for range rounds {
		user := next()
		user.Annotations[corev1.LastAppliedConfigAnnotation] = `{"spec":{"password":"` + marker + `"}}`
		list := &takaro.UserList{Items: []takaro.User{*user.DeepCopy(), *next()}}
		for _, object := range []runtime.Object{user, list} {
			before := object.DeepCopyObject()
			everyEncoder(t, Codecs, object, func(media string, text []byte, _ runtime.Codec) {
				require.NotContains(t, string(text), marker, media)
			})
			require.True(t, apiequality.Semantic.DeepEqual(before, object), "the object itself is not changed: others may look at it")
			shown, err := Scheme.ConvertToVersion(object.DeepCopyObject(), v1alpha1.SchemeGroupVersion)
			require.NoError(t, err)
			if single, ok := shown.(*v1alpha1.User); ok {
				require.Nil(t, single.Spec.Password)
				require.Equal(t, user.Spec.Email, single.Spec.Email, "the rest is there")
			}
		}
	}
}

func TestWhatStoresKeepsThePassword(t *testing.T) {
	next := anyUsers(t)
	for range rounds {
		user := next()
		everyEncoder(t, StorageCodecs, user, func(media string, text []byte, codec runtime.Codec) {
			require.True(t, bytes.Contains(text, []byte(marker)) || media == runtime.ContentTypeCBOR, media)
			decoded, _, err := codec.Decode(text, nil, nil)
			require.NoError(t, err, media)
			require.Equal(t, marker, string(*decoded.(*takaro.User).Spec.Password), media)
			again := &bytes.Buffer{}
			require.NoError(t, codec.Encode(decoded, again))
			repeated, _, err := codec.Decode(again.Bytes(), nil, nil)
			require.NoError(t, err, media)
			require.True(t, apiequality.Semantic.DeepEqual(decoded, repeated), "%s: what was read is written unchanged", media)
		})
	}
}

// What clients send arrives, but for the copy in the annotation: audit records and webhooks see objects before they are
// prepared.
func TestWhatServesTakesAPassword(t *testing.T) {
	sent := `{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"User","metadata":{"annotations":{"` + corev1.LastAppliedConfigAnnotation +
		`":"{\"spec\":{\"password\":\"` + marker + `\"}}"}},"spec":{"password":"` + marker + `"}}`
	decoded, _, err := Codecs.UniversalDecoder().Decode([]byte(sent), nil, nil)
	require.NoError(t, err)
	user := decoded.(*takaro.User)
	assert.Equal(t, marker, string(*user.Spec.Password))
	assert.NotContains(t, user.Annotations[corev1.LastAppliedConfigAnnotation], marker)
}

// A mutating policy or webhook returns the object without the password, into the same object.
func TestConversionBackKeepsThePassword(t *testing.T) {
	user := anyUsers(t)()
	shown := &v1alpha1.User{}
	require.NoError(t, Scheme.Convert(user, shown, nil))
	require.Nil(t, shown.Spec.Password)
	shown.Labels = map[string]string{"by": "webhook"}
	require.NoError(t, Scheme.Convert(shown, user, nil))
	assert.Equal(t, marker, string(*user.Spec.Password))
	assert.Equal(t, "webhook", user.Labels["by"])
}
