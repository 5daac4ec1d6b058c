// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/storeidentity"
)

// refusing is a server that refuses its store until it is let go on; the id opens it for inspection.
type refusing struct {
	id string

	mu     sync.Mutex
	served bool
}

func (r *refusing) serve() { r.mu.Lock(); r.served = true; r.mu.Unlock() }

func (r *refusing) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if !r.served && request.Header.Get(storeidentity.InspectHeader) != r.id {
		status := apierrors.NewServiceUnavailable("its id is " + r.id).Status()
		status.Kind, status.APIVersion = "Status", "v1"
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(status)
		return
	}
	list := metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
	if request.URL.Path == "/api/v1/secrets" {
		list.Items = []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "root", OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "takaro.roadstead.dev/v1alpha1", Kind: "Domain", Name: "arena", UID: "lost"},
		}}}}
	}
	_ = json.NewEncoder(w).Encode(list)
}

func look(t *testing.T, server *refusing, id string) *inspection {
	t.Helper()
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	config := &rest.Config{Host: listener.URL}
	plain, err := metadata.NewForConfig(config)
	require.NoError(t, err)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return header{next: next, id: id} })
	looking, err := metadata.NewForConfig(config)
	require.NoError(t, err)
	return &inspection{
		plain: plain, looking: looking,
		ours:   []schema.GroupVersionResource{{Group: "takaro.roadstead.dev", Version: "v1alpha1", Resource: "domains"}},
		others: []schema.GroupVersionResource{{Version: "v1", Resource: "secrets"}},
	}
}

func TestInspectionSeesPastTheRefusal(t *testing.T) {
	server := &refusing{id: "right"}
	found := look(t, server, "right")
	require.NoError(t, found.refused(t.Context()))
	missing, err := found.missingOwners(t.Context())
	require.NoError(t, err)
	require.Len(t, missing, 1)
	require.Equal(t, "root", missing[0].name)

	_, err = look(t, server, "wrong").missingOwners(t.Context())
	require.ErrorContains(t, err, "is --id that of the message")
	require.ErrorContains(t, err, "its id is right")
	server.serve()
	require.ErrorContains(t, found.refused(t.Context()), "there is nothing to accept")
}

func TestTheWishIsFulfilledOrTakenBack(t *testing.T) {
	client := fake.NewClientset()
	configMaps := client.CoreV1().ConfigMaps("roadstead-system")
	source := func() *corev1.ConfigMap {
		found, err := configMaps.Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
		require.NoError(t, err)
		return found
	}
	server := &refusing{id: "new"}
	found := look(t, server, "new")
	a := &accept{namespace: "roadstead-system", id: "new", reason: "because", timeout: time.Second, out: &bytes.Buffer{}}
	require.NoError(t, a.ask(t.Context(), client))
	require.Equal(t, "new", source().Annotations[storeidentity.AcceptAnnotation])
	_, err := a.await(t.Context(), client, found)
	require.ErrorContains(t, err, "has not taken it up")
	require.NotContains(t, source().Annotations, storeidentity.AcceptAnnotation, "it must not surprise anybody later")

	a.timeout = time.Minute
	require.NoError(t, a.ask(t.Context(), client))
	done := source()
	done.Data = storeidentity.Record{Anchor: storeidentity.Anchor{StoreID: "fresh", Epoch: 1}, ClusterUID: "c", Revision: 3}.Data()
	delete(done.Annotations, storeidentity.AcceptAnnotation)
	_, err = configMaps.Update(t.Context(), done, metav1.UpdateOptions{})
	require.NoError(t, err)
	server.serve()
	record, err := a.await(t.Context(), client, found)
	require.NoError(t, err)
	require.Equal(t, "fresh", record.StoreID)
	require.Equal(t, "because", source().Annotations[storeidentity.AcceptReasonAnnotation])
	require.NoError(t, a.tell(t.Context(), client, record))
	events, err := client.CoreV1().Events("roadstead-system").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, events.Items, 1)
	require.Equal(t, "Store fresh was accepted: because", events.Items[0].Message)
}
