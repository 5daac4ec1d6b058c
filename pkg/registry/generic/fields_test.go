// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/generic/storetest"
	"roadstead.dev/roadstead/pkg/storage/etcdstore"
)

func TestSelectors(t *testing.T) {
	kind := testKind()
	kind.Fields = []SelectableField[*takaro.Domain]{{Path: "status.domainId",
		Value: func(d *takaro.Domain) string { return d.Status.DomainID }}}
	domain := &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "team", Labels: map[string]string{"tier": "test"}},
		Status: takaro.DomainStatus{DomainID: "id"}}
	for selector, want := range map[string]bool{
		"": true, "status.domainId=id": true, "status.domainId=other": false, "status.domainId!=id": false, "status.domainId=": false,
		"metadata.name=a,status.domainId=id": true, "metadata.name=b": false, "metadata.namespace=team": true, "metadata.namespace=other": false,
	} {
		predicate := kind.matches(labels.Everything(), fields.ParseSelectorOrDie(selector))
		matched, err := predicate.Matches(domain)
		require.NoError(t, err)
		require.Equal(t, want, matched, selector)
	}
	predicate := kind.matches(labels.SelectorFromSet(labels.Set{"tier": "other"}), fields.Everything())
	matched, err := predicate.Matches(domain)
	require.NoError(t, err)
	require.False(t, matched)

	kind.ClusterScoped = true
	_, set, err := kind.attributes(domain)
	require.NoError(t, err)
	require.Equal(t, fields.Set{"metadata.name": "a", "status.domainId": "id"}, set)
	_, _, err = kind.attributes(&takaro.User{})
	require.ErrorContains(t, err, "cannot select *takaro.User as *takaro.Domain")
}

// The storage without a cache must be wrapped by the storage that reports, not replace it.
func TestReportUnavailable_UncachedStorage(t *testing.T) {
	etcd := storetest.New(t, scheme, v1alpha1.SchemeGroupVersion)
	for name, getter := range map[string]genericregistry.RESTOptionsGetter{"plain": etcd, "reporting": ReportUnavailable(etcd)} {
		t.Run(name, func(t *testing.T) {
			kind := testKind()
			kind.Uncached, kind.Uncategorized = true, true
			kind.Fields = []SelectableField[*takaro.Domain]{{Path: "status.domainId",
				Value: func(d *takaro.Domain) string { return d.Status.DomainID }}}
			store, _, err := NewStore(kind, getter)
			require.NoError(t, err)
			t.Cleanup(store.Destroy)
			require.Empty(t, store.Categories())
			inner := store.Storage.Storage
			reporting, ok := inner.(*reportingStorage)
			require.Equal(t, name == "reporting", ok)
			if ok {
				inner = reporting.Interface
			}
			_, cached := inner.(etcdstore.Uncacheable)
			require.False(t, cached)
			_, err = store.Get(genericapirequest.WithNamespace(t.Context(), "team"), "a", &metav1.GetOptions{})
			require.True(t, apierrors.IsNotFound(err), err)
		})
	}
	store, _, err := NewStore(testKind(), etcd)
	require.NoError(t, err)
	t.Cleanup(store.Destroy)
	require.Equal(t, []string{Category}, store.Categories())
	cached, ok := store.Storage.Storage.(etcdstore.Uncacheable)
	require.True(t, ok, "every other kind has a cache")
	_, ok = cached.Uncached().(etcdstore.Uncacheable)
	require.False(t, ok, "what is read past the cache has none")
}
