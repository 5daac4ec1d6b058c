// SPDX-License-Identifier: Apache-2.0

package etcdstore

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"pgregory.net/rapid"
)

func newSharing() sharing {
	return sharing{scheme.Codecs.LegacyCodec(corev1.SchemeGroupVersion), newSets()}
}

// managed is an object that managers have written, each a set of fields; "" is a manager without a set.
func managed(name string, written ...string) *corev1.ConfigMap {
	object := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, set := range written {
		entry := metav1.ManagedFieldsEntry{Manager: "m", FieldsType: "FieldsV1"}
		if set != "" {
			entry.FieldsV1 = metav1.NewFieldsV1(set)
		}
		object.ManagedFields = append(object.ManagedFields, entry)
	}
	return object
}

func decode(t require.TestingT, codec runtime.Codec, object runtime.Object) *corev1.ConfigMap {
	stored, err := runtime.Encode(codec, object)
	require.NoError(t, err)
	decoded, _, err := codec.Decode(stored, nil, &corev1.ConfigMap{})
	require.NoError(t, err)
	require.IsType(t, &corev1.ConfigMap{}, decoded)
	return decoded.(*corev1.ConfigMap)
}

func TestEqualSetsAreOne(t *testing.T) {
	codec := newSharing()
	const data, status = `{"f:data":{}}`, `{"f:status":{}}`
	a, b := decode(t, codec, managed("a", data, status)), decode(t, codec, managed("b", status, data, ""))
	require.Same(t, a.ManagedFields[0].FieldsV1, b.ManagedFields[1].FieldsV1)
	require.Same(t, a.ManagedFields[1].FieldsV1, b.ManagedFields[0].FieldsV1)
	require.NotSame(t, a.ManagedFields[0].FieldsV1, a.ManagedFields[1].FieldsV1)
	require.Nil(t, b.ManagedFields[2].FieldsV1)

	large := `{"f:data":{"f:` + strings.Repeat("a", largestShared) + `":{}}}`
	a, b = decode(t, codec, managed("a", large)), decode(t, codec, managed("b", large))
	require.NotSame(t, a.ManagedFields[0].FieldsV1, b.ManagedFields[0].FieldsV1, "none that is large is kept")
	require.Equal(t, a.ManagedFields, b.ManagedFields)
}

func TestADeepCopyIsNotShared(t *testing.T) {
	codec := newSharing()
	const set = `{"f:data":{}}`
	a, b := decode(t, codec, managed("a", set)), decode(t, codec, managed("b", set))
	changed := a.DeepCopy()
	changed.ManagedFields[0].FieldsV1.SetRawString(`{"f:spec":{}}`)
	require.NoError(t, changed.ManagedFields[0].FieldsV1.UnmarshalJSON([]byte(`{"f:none":{}}`)))
	require.Equal(t, set, a.ManagedFields[0].FieldsV1.GetRawString())
	require.Equal(t, set, b.ManagedFields[0].FieldsV1.GetRawString())
}

// TestSharingChangesNothing: decoded objects are the same as without sharing.
func TestSharingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		codec := newSharing()
		for _, one := range rapid.SliceOf(rapid.SliceOf(rapid.SampledFrom([]string{"", `{}`, `{"f:a":{}}`, `{"f:b":{}}`,
			`{"f:a":{},"f:b":{}}`}))).Draw(t, "objects") {
			object := managed("a", one...)
			require.Equal(t, decode(t, codec.Codec, object), decode(t, codec, object))
		}
	})
}

func TestWhatCannotBeDecodedIsAnError(t *testing.T) {
	_, _, err := newSharing().Decode([]byte("no object"), nil, &corev1.ConfigMap{})
	require.Error(t, err)
}
