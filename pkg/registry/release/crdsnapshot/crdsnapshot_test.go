// SPDX-License-Identifier: Apache-2.0

package crdsnapshot

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/install"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
	"roadstead.dev/roadstead/pkg/registry/generic/storetest"
)

func valid() *release.CRDSnapshot {
	return &release.CRDSnapshot{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: release.CRDSnapshotSpec{
			UID: "1", Generation: 2, Policy: "Warn", AllowChange: "sha256:1",
			Definition: runtime.RawExtension{Raw: []byte(`{"metadata":{"name":"widgets.example.com"},"spec":{"b":1,"a":1}}`)},
		},
	}
}

// TestEverythingCRDSnapshotHoldsIsBounded checks the bounds of all fields: one object must not fill
// the store.
func TestEverythingCRDSnapshotHoldsIsBounded(t *testing.T) {
	boundstest.RequireBounded(t, newKind(boundstest.Scheme(install.Install)), valid)
}

func TestStorage(t *testing.T) {
	main, err := NewREST(boundstest.Scheme(install.Install), storetest.New(t, boundstest.Scheme(install.Install), v1alpha1.SchemeGroupVersion))
	require.NoError(t, err)
	t.Cleanup(main.Destroy)
	storetest.Ready(t, main)
	require.Empty(t, main.ShortNames())
	require.Empty(t, main.Categories())
	ctx := genericapirequest.WithNamespace(t.Context(), "")
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "create",
		APIGroup: release.GroupName, APIVersion: "v1alpha1", Resource: "crdsnapshots"})
	made, err := main.Create(ctx, valid(), rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 1, made.(*release.CRDSnapshot).Generation)

	change := func(definition string) *release.CRDSnapshot {
		next := made.(*release.CRDSnapshot).DeepCopy()
		next.Spec.Definition.Raw = []byte(definition)
		changed, _, err := main.Update(ctx, next.Name, rest.DefaultUpdatedObjectInfo(next), rest.ValidateAllObjectFunc,
			rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{})
		require.NoError(t, err)
		return changed.(*release.CRDSnapshot)
	}
	require.Equal(t, made.(*release.CRDSnapshot).ResourceVersion,
		change(`{"spec":{"a":1,"b":1},"metadata":{"name":"widgets.example.com"}}`).ResourceVersion, "spelt in another way")
	require.EqualValues(t, 2, change(`{"spec":{"a":2},"metadata":{"name":"widgets.example.com"}}`).Generation)
}
