// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/sets"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// store is a Source and a Lister.
type store struct {
	header           storeidentity.InventoryHeader
	headerErr, fails error
	objects          []storeidentity.InventoryObject
	listed           storeidentity.InventoryHeader
}

func (s *store) Header(context.Context) (storeidentity.InventoryHeader, error) {
	return s.header, s.headerErr
}

func (s *store) List(_ context.Context, at storeidentity.InventoryHeader, each func(storeidentity.InventoryObject) error) (int, error) {
	s.listed = at
	for n, object := range s.objects {
		if err := each(object); err != nil {
			return n, err
		}
	}
	return len(s.objects), s.fails
}

// codecs contains only Status, the format of an error.
func codecs() serializer.CodecFactory {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"}, &metav1.Status{})
	return serializer.NewCodecFactory(scheme)
}

// request serves a request with the filter and a next handler that returns 418.
func request(t *testing.T, inventory http.Handler, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	resolver := &genericapirequest.RequestInfoFactory{APIPrefixes: sets.NewString("apis"), GrouplessAPIPrefixes: sets.NewString()}
	r := httptest.NewRequest(method, target, nil)
	info, err := resolver.NewRequestInfo(r)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	Filter(inventory, next, codecs()).ServeHTTP(w, r.WithContext(genericapirequest.WithRequestInfo(r.Context(), info)))
	return w
}

func TestInventory_RoundTrip(t *testing.T) {
	s := &store{
		header: storeidentity.InventoryHeader{StoreID: "s", Epoch: 2, Revision: 9, EtcdClusterID: "e", State: "StoreOlder"},
		objects: []storeidentity.InventoryObject{
			{Group: "g", Resource: "r", Name: "a", UID: "u"}, {Group: "g", Resource: "r", Name: "b", Error: "x"},
		},
	}
	answer := request(t, New(s, s, codecs()), http.MethodGet, storeidentity.InventoryPath)
	require.Equal(t, http.StatusOK, answer.Code)
	require.Equal(t, contentType, answer.Header().Get("Content-Type"))
	require.Equal(t, s.header, s.listed, "the objects are those of the revision in the header")
	var found []storeidentity.InventoryObject
	header, err := storeidentity.ParseInventory(answer.Body, func(object storeidentity.InventoryObject) error {
		found = append(found, object)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, s.header, header)
	require.Equal(t, s.objects, found)
}

func TestInventory_ErrorBeforeAnythingIsSent(t *testing.T) {
	for name, s := range map[string]*store{
		"no header":        {headerErr: errors.New("etcd is unavailable")},
		"the first page":   {fails: errors.New("etcd is unavailable")},
		"some few objects": {objects: make([]storeidentity.InventoryObject, 3), fails: errors.New("etcd is unavailable")},
	} {
		answer := request(t, New(s, s, codecs()), http.MethodGet, storeidentity.InventoryPath)
		require.Equal(t, http.StatusServiceUnavailable, answer.Code, name)
		require.Contains(t, answer.Body.String(), "etcd is unavailable", name)
		require.NotContains(t, answer.Body.String(), "etcdClusterID", name)
	}
}

func TestInventory_ErrorAfterSomethingIsSent(t *testing.T) {
	s := &store{objects: make([]storeidentity.InventoryObject, bufferBytes/20), fails: errors.New("etcd is unavailable")}
	answer := request(t, New(s, s, codecs()), http.MethodGet, storeidentity.InventoryPath)
	require.Equal(t, http.StatusOK, answer.Code)
	_, err := storeidentity.ParseInventory(answer.Body, func(storeidentity.InventoryObject) error { return nil })
	require.ErrorIs(t, err, storeidentity.ErrInventoryIncomplete)
}

func TestFilter(t *testing.T) {
	s := &store{}
	serving := New(s, s, codecs())
	group, _, _ := strings.Cut(storeidentity.InventoryPath, "/storeinventories")
	for _, c := range []struct {
		name, method, target string
		inventory            http.Handler
		code                 int
	}{
		{"the inventory", http.MethodGet, storeidentity.InventoryPath, serving, http.StatusOK},
		{"with a parameter", http.MethodGet, storeidentity.InventoryPath + "?timeout=10s", serving, http.StatusOK},
		{"of the other group", http.MethodGet, storeidentity.TakaroInventoryPath, serving, http.StatusOK},
		{"none", http.MethodGet, storeidentity.InventoryPath, nil, http.StatusNotFound},
		{"create", http.MethodPost, storeidentity.InventoryPath, serving, http.StatusMethodNotAllowed},
		{"deletecollection", http.MethodDelete, storeidentity.InventoryPath, serving, http.StatusMethodNotAllowed},
		{"HEAD", http.MethodHead, storeidentity.InventoryPath, serving, http.StatusMethodNotAllowed},
		{"watch", http.MethodGet, storeidentity.InventoryPath + "?watch=true", serving, http.StatusMethodNotAllowed},
		{"one of it", http.MethodGet, storeidentity.InventoryPath + "/a", serving, http.StatusTeapot},
		{"of a namespace", http.MethodGet, group + "/namespaces/a/storeinventories", serving, http.StatusTeapot},
		{"discovery", http.MethodGet, group, serving, http.StatusTeapot},
	} {
		require.Equal(t, c.code, request(t, c.inventory, c.method, c.target).Code, c.name)
	}
}
