// SPDX-License-Identifier: Apache-2.0

package user

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

func TestListUncached_MoreThanOnePage(t *testing.T) {
	s := newStore(t)
	const users = 501
	for i := range users {
		require.NoError(t, s.create(fmt.Sprintf("user-%d", i), fmt.Sprintf("%d@example.com", i)))
	}
	all, err := s.ListUncached(s.ctx(), func(runtime.Object) bool { return true })
	require.NoError(t, err)
	require.Len(t, all, users)
	some, err := s.ListUncached(s.ctx(), func(object runtime.Object) bool { return object.(*takaro.User).Name == "user-500" })
	require.NoError(t, err)
	require.Len(t, some, 1)
	elsewhere, err := s.ListUncached(genericapirequest.WithNamespace(s.ctx(), "tea"), func(runtime.Object) bool { return true })
	require.NoError(t, err)
	require.Empty(t, elsewhere, "a namespace does not include another one whose name it begins")
}

func TestStored_RESTMappings(t *testing.T) {
	s, scheme, stored := newStore(t), runtime.NewScheme(), &generic.Stored{}
	install.Install(scheme)
	stored.Serve(&genericapiserver.APIGroupInfo{
		PrioritizedVersions: []schema.GroupVersion{v1alpha1.SchemeGroupVersion}, Scheme: scheme,
		VersionedResourcesStorageMap: map[string]map[string]rest.Storage{"v1alpha1": {"users": s.REST}},
	})
	kind := schema.GroupKind{Group: takaro.GroupName, Kind: "User"}
	found, err := stored.RESTMappings(kind, "v1alpha1")
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, v1alpha1.SchemeGroupVersion.WithResource("users"), found[0].Resource)
	require.Equal(t, meta.RESTScopeNameNamespace, found[0].Scope.Name())
	_, err = stored.RESTMappings(kind, "v2")
	require.True(t, meta.IsNoMatchError(err), "%v", err)
	_, err = stored.RESTMappings(schema.GroupKind{Kind: "Pod"}, "v1")
	require.True(t, meta.IsNoMatchError(err), "%v", err)
}
