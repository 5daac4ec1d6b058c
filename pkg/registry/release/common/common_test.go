// SPDX-License-Identifier: Apache-2.0

package common

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/apis/release"
)

func TestCaller(t *testing.T) {
	require.Empty(t, Caller(t.Context()))
	require.Equal(t, "ann", Caller(genericapirequest.WithUser(t.Context(), &user.DefaultInfo{Name: "ann"})))
}

func TestJSON(t *testing.T) {
	content := func(text string) runtime.RawExtension { return runtime.RawExtension{Raw: []byte(text)} }
	same := func(a, b runtime.RawExtension) bool { return bytes.EqualFold(a.Raw, b.Raw) }
	require.Equal(t, content(`{"A":1}`), JSON(content(`{"a":1}`), content(`{"A":1}`), same), "the same: as it is stored")
	require.Equal(t, content(`{"a":2}`), JSON(content(`{"a":2}`), content(`{"A":1}`), same))
	require.Equal(t, content(`{"a":1}`), JSON(content(`{"a":1}`), runtime.RawExtension{}, same))
	require.Empty(t, JSON(runtime.RawExtension{}, content(`{}`), same).Raw)
	encoded, err := direct.Marshal(map[string]any{"a": int64(1)})
	require.NoError(t, err)
	var spoken runtime.RawExtension
	require.NoError(t, spoken.UnmarshalCBOR(encoded))
	require.JSONEq(t, `{"a":1}`, string(JSON(spoken, runtime.RawExtension{}, same).Raw), "what came in CBOR")
	require.Equal(t, content("no json"), JSON(content("no json"), runtime.RawExtension{}, same))
}

func TestDropApplied(t *testing.T) {
	managed := func(at time.Time, manager string) []metav1.ManagedFieldsEntry {
		stamp := metav1.NewTime(at)
		return []metav1.ManagedFieldsEntry{{Manager: manager, Operation: "Update", Time: &stamp, FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1("{}")}}
	}
	then, now := time.Unix(1000, 0), time.Unix(2000, 0)
	applied := map[string]string{corev1.LastAppliedConfigAnnotation: "{}", "other": "kept"}
	object := func(annotations map[string]string, fields []metav1.ManagedFieldsEntry) *release.CRDSchema {
		return &release.CRDSchema{ObjectMeta: metav1.ObjectMeta{Annotations: annotations, ManagedFields: fields}}
	}
	created := object(applied, managed(now, "kubectl"))
	DropApplied(created, nil)
	require.Equal(t, object(map[string]string{"other": "kept"}, managed(now, "kubectl")), created)
	require.Len(t, applied, 2, "the map may be shared")

	again := object(applied, managed(now, "kubectl"))
	DropApplied(again, object(nil, managed(then, "kubectl")))
	require.Equal(t, managed(then, "kubectl"), again.ManagedFields, "an apply that changes nothing")
	another := object(applied, managed(now, "another"))
	DropApplied(another, object(nil, managed(then, "kubectl")))
	require.Equal(t, managed(now, "another"), another.ManagedFields)
	untouched := object(map[string]string{"other": "kept"}, managed(now, "kubectl"))
	DropApplied(untouched, object(nil, managed(then, "kubectl")))
	require.Equal(t, managed(now, "kubectl"), untouched.ManagedFields, "no apply")
}
