// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// cluster is one with a server that refuses its store. The server fulfills a request when its inventory is read for the third
// time.
type cluster struct {
	t      *testing.T
	client *fake.Clientset

	mu      sync.Mutex
	header  storeidentity.InventoryHeader
	objects []storeidentity.InventoryObject
	// owner is the UID of the Domain that owns a Secret.
	owner types.UID
	// cut and absent are faults of the inventory; replaced exchanges the store after the first read.
	cut, absent, replaced bool
	// idle leaves requests alone, ignores removes them without accepting the store.
	idle, ignores bool
	// conflicts is how many writes of the ConfigMap meet another change; forbidden fails all of them.
	conflicts int
	forbidden bool
	// whenRequested is called once when a request was written.
	whenRequested func()

	// reads counts those of the inventory: the first two are before the request.
	reads            int
	paths, requested []string
}

func newCluster(t *testing.T, header storeidentity.InventoryHeader, record storeidentity.Record) *cluster {
	t.Helper()
	c := &cluster{t: t, client: fake.NewClientset(), header: header, owner: "here", objects: []storeidentity.InventoryObject{
		{Group: "takaro.roadstead.dev", Resource: "domains", Namespace: "team", Name: "arena", UID: "here"},
	}}
	c.data(record.Data())
	resources := func(version string, names ...string) *metav1.APIResourceList {
		list := &metav1.APIResourceList{GroupVersion: version}
		for _, name := range names {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: name, Namespaced: true, Verbs: metav1.Verbs{"list", "delete"}})
		}
		return list
	}
	c.client.Discovery().(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{
		resources("v1", "secrets", "events", "unserved"), resources("takaro.roadstead.dev/v1alpha1", "domains"),
	}
	for _, verb := range []string{"create", "update"} {
		c.client.PrependReactor(verb, "configmaps", c.written)
	}
	return c
}

// written observes and disturbs writes of the ConfigMap.
func (c *cluster) written(action clienttesting.Action) (bool, runtime.Object, error) {
	object, isConfigMap := action.(clienttesting.CreateAction).GetObject().(*corev1.ConfigMap)
	if !isConfigMap {
		return false, nil, nil
	}
	if c.forbidden {
		return true, nil, apierrors.NewForbidden(corev1.Resource("configmaps"), object.Name, nil)
	}
	if c.conflicts > 0 {
		c.conflicts--
		return true, nil, apierrors.NewConflict(corev1.Resource("configmaps"), object.Name, nil)
	}
	if request, found := object.Data[storeidentity.RequestKey]; found {
		c.requested = append(c.requested, request)
	}
	return false, nil, nil
}

// inspection returns one of this cluster.
func (c *cluster) inspection() *inspection {
	server := httptest.NewServer(c)
	c.t.Cleanup(server.Close)
	config := &rest.Config{Host: server.URL, QPS: -1}
	client, err := kubernetes.NewForConfig(config)
	require.NoError(c.t, err)
	reader, err := metadata.NewForConfig(config)
	require.NoError(c.t, err)
	return &inspection{server: client.CoreV1().RESTClient(), cluster: reader, discovery: c.client.Discovery()}
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths = append(c.paths, r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	answer := json.NewEncoder(w)
	list := metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
	switch r.URL.Path {
	case storeidentity.InventoryPath:
		if !c.absent {
			c.inventory(answer)
			return
		}
		fail(w, apierrors.NewNotFound(corev1.Resource("storeinventories"), ""))
	case "/api/v1/secrets":
		list.Items = []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: "root",
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "takaro.roadstead.dev/v1alpha1", Kind: "Domain", Name: "arena", UID: c.owner}},
		}}}
		_ = answer.Encode(list)
	case "/apis/takaro.roadstead.dev/v1alpha1/domains":
		list.Items = []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "arena", UID: c.owner}}}
		_ = answer.Encode(list)
	case "/apis/release.roadstead.dev/v1alpha1/operators":
		fail(w, apierrors.NewServiceUnavailable("its store is older"))
	default:
		fail(w, apierrors.NewNotFound(corev1.Resource("unserved"), ""))
	}
}

func fail(w http.ResponseWriter, err *apierrors.StatusError) {
	status := err.Status()
	status.Kind, status.APIVersion = "Status", "v1"
	w.WriteHeader(int(status.Code))
	_ = json.NewEncoder(w).Encode(status)
}

// inventory answers with the store as it is, after pending requests were fulfilled.
func (c *cluster) inventory(answer *json.Encoder) {
	if c.reads++; c.reads > 2 {
		c.fulfill()
	}
	_ = answer.Encode(c.header)
	for _, object := range c.objects {
		if object.Error != "" {
			object.UID = ""
		}
		_ = answer.Encode(object)
	}
	if !c.cut {
		_ = answer.Encode(storeidentity.InventoryEnd{Count: len(c.objects)})
	}
	if c.replaced {
		c.header.StoreID = "another"
	}
}

func (c *cluster) fulfill() {
	data, found := c.source()
	text, pending := data[storeidentity.RequestKey]
	if !found || !pending {
		return
	}
	if c.whenRequested != nil {
		c.whenRequested()
		c.whenRequested = nil
	}
	if c.idle {
		return
	}
	var request storeidentity.Request
	require.NoError(c.t, json.Unmarshal([]byte(text), &request))
	delete(data, storeidentity.RequestKey)
	if !c.ignores {
		if c.header.StoreID == "" {
			c.header.StoreID = "fresh"
		}
		c.header.Epoch, c.header.State = 3, storeidentity.StateServing
		data = storeidentity.Record{
			Anchor: storeidentity.Anchor{StoreID: c.header.StoreID, Epoch: 3}, Revision: c.header.Revision,
			EtcdClusterID: c.header.EtcdClusterID, ClusterUID: "c",
		}.Data()
	}
	c.data(data)
}

// served reports whether a request was fulfilled.
func (c *cluster) served() bool { return c.header.Epoch == 3 }

// source returns the content of the ConfigMap.
func (c *cluster) source() (map[string]string, bool) {
	source, err := c.client.CoreV1().ConfigMaps(system).Get(c.t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, false
	}
	require.NoError(c.t, err)
	return maps.Clone(source.Data), true
}

// data replaces the content of the ConfigMap; nil deletes it.
func (c *cluster) data(data map[string]string) {
	tracker, resource := c.client.Tracker(), corev1.SchemeGroupVersion.WithResource("configmaps")
	_ = tracker.Delete(resource, system, storeidentity.ConfigMapName)
	if data != nil {
		require.NoError(c.t, tracker.Add(&corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: storeidentity.ConfigMapName}, Data: data,
		}))
	}
}

func (c *cluster) pending(request storeidentity.Request) {
	data, _ := c.source()
	data[storeidentity.RequestKey] = request.String()
	c.data(data)
}

func (c *cluster) add(object runtime.Object) { require.NoError(c.t, c.client.Tracker().Add(object)) }

// renewed answers each read of the Lease with a later renewal.
func (c *cluster) renewed(lease *coordinationv1.Lease) {
	c.client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		lease = lease.DeepCopy()
		lease.Spec.RenewTime = ptr.To(metav1.NewMicroTime(lease.Spec.RenewTime.Add(storeidentity.RenewInterval)))
		return true, lease, nil
	})
}

// events returns the messages of all events about an accepted store.
func (c *cluster) events() []string {
	list, err := c.client.CoreV1().Events(system).List(c.t.Context(), metav1.ListOptions{})
	require.NoError(c.t, err)
	var messages []string
	for _, event := range list.Items {
		require.Equal(c.t, eventReason, event.Reason)
		messages = append(messages, event.Message)
	}
	return slices.Compact(messages)
}
