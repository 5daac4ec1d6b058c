// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

// named is storage in which every name exists, and which returns an object with the requested
// namespace and name.
type named struct{ rest.Storage }

func (named) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	namespace, _ := genericapirequest.NamespaceFrom(ctx)
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name,
		ResourceVersion: options.ResourceVersion}}, nil
}

func (named) ListUncached(ctx context.Context, keep func(runtime.Object) bool) ([]runtime.Object, error) {
	namespace, _ := genericapirequest.NamespaceFrom(ctx)
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}}
	if !keep(object) {
		return nil, nil
	}
	return []runtime.Object{object}, nil
}

// blind is storage that cannot get objects.
type blind struct{ rest.Storage }

func TestStoredReadsWhatIsServed(t *testing.T) {
	stored := &Stored{}
	things := schema.GroupResource{Group: "a.example", Resource: "things"}
	_, err := stored.Get(t.Context(), things, "ns", "x")
	require.True(t, apierrors.IsServiceUnavailable(err), "nothing is served yet: %v", err)

	stored.Serve(&genericapiserver.APIGroupInfo{
		PrioritizedVersions: []schema.GroupVersion{{Group: "a.example", Version: "v1"}},
		VersionedResourcesStorageMap: map[string]map[string]rest.Storage{
			"v1": {"things": named{}, "things/status": named{}, "checks": blind{}},
		},
	})
	// The namespace of the request in the context is not used.
	ctx := genericapirequest.WithNamespace(t.Context(), "of the request")
	found, err := stored.Get(ctx, things, "ns", "x")
	require.NoError(t, err)
	object := found.(*metav1.PartialObjectMetadata)
	assert.Equal(t, []string{"ns", "x"}, []string{object.Namespace, object.Name})
	assert.Empty(t, object.ResourceVersion, "any version but the newest might come from a cache")
	for _, other := range []string{"checks", "things/status", "others"} {
		_, err := stored.Get(ctx, schema.GroupResource{Group: "a.example", Resource: other}, "ns", "x")
		assert.True(t, apierrors.IsNotFound(err), "%s: %v", other, err)
	}
	_, err = stored.Get(ctx, schema.GroupResource{Group: "b.example", Resource: "things"}, "ns", "x")
	assert.True(t, apierrors.IsNotFound(err))
}

func TestStored_List(t *testing.T) {
	stored, all := &Stored{}, func(runtime.Object) bool { return true }
	things := schema.GroupResource{Group: "a.example", Resource: "things"}
	_, err := stored.List(t.Context(), things, "ns", all)
	require.True(t, apierrors.IsServiceUnavailable(err), "nothing is served yet: %v", err)
	_, err = stored.RESTMappings(schema.GroupKind{Group: "a.example", Kind: "Thing"})
	require.True(t, apierrors.IsServiceUnavailable(err), "nothing is served yet: %v", err)

	stored.Serve(&genericapiserver.APIGroupInfo{
		PrioritizedVersions:          []schema.GroupVersion{{Group: "a.example", Version: "v1"}},
		VersionedResourcesStorageMap: map[string]map[string]rest.Storage{"v1": {"things": named{}, "checks": blind{}}},
	})
	found, err := stored.List(genericapirequest.WithNamespace(t.Context(), "of the request"), things, "ns", all)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, "ns", found[0].(*metav1.PartialObjectMetadata).Namespace)
	_, err = stored.List(t.Context(), schema.GroupResource{Group: "a.example", Resource: "checks"}, "ns", all)
	require.ErrorContains(t, err, "checks.a.example cannot be listed")
	found, err = stored.List(t.Context(), schema.GroupResource{Group: "b.example", Resource: "things"}, "ns", all)
	require.NoError(t, err)
	require.Empty(t, found, "what is not served has no objects")
}
