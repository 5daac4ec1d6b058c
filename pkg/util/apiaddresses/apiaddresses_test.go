// SPDX-License-Identifier: Apache-2.0

package apiaddresses

import (
	"context"
	"errors"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

func objects() []runtime.Object {
	meta := metav1.ObjectMeta{Namespace: "default", Name: "kubernetes"}
	return []runtime.Object{
		&corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{ClusterIPs: []string{"10.96.0.1", "fd00::1"},
			Ports: []corev1.ServicePort{{Port: 443}}}},
		&discoveryv1.EndpointSlice{ObjectMeta: meta, Ports: []discoveryv1.EndpointPort{{Port: ptr.To[int32](6443)}},
			Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"172.18.0.2"}}, {Addresses: []string{"172.18.0.3"}}}},
	}
}

func follower(host string, client *fake.Clientset) *Follower {
	return &Follower{config: &rest.Config{Host: host}, client: client, resolve: func(_ context.Context, _, host string) ([]netip.Addr, error) {
		if host == "unknown.example" {
			return nil, errors.New("no such host")
		}
		return []netip.Addr{netip.MustParseAddr("::ffff:192.0.2.7")}, nil
	}}
}

func texts(t *testing.T, f *Follower) []string {
	t.Helper()
	addresses, known := f.Addresses()
	require.True(t, known)
	var texts []string
	for _, address := range addresses {
		texts = append(texts, address.String())
	}
	return texts
}

func TestRefreshFindsEveryAddress(t *testing.T) {
	f := follower("https://api.example:6443", fake.NewClientset(objects()...))
	_, known := f.Addresses()
	require.False(t, known, "nothing was looked up")
	require.NoError(t, f.Refresh(t.Context()))
	assert.ElementsMatch(t, []string{"10.96.0.1:443", "172.18.0.2:6443", "172.18.0.3:6443", "192.0.2.7:6443", "[fd00::1]:443"}, texts(t, f))
	f.config.Host = "https://api.example"
	require.NoError(t, f.Refresh(t.Context()))
	assert.Contains(t, texts(t, f), "192.0.2.7:443", "the default port")
}

// kube-apiserver publishes no loopback address.
func TestRefreshWithoutPublishedEndpoints(t *testing.T) {
	f := follower("https://api.example:6443", fake.NewClientset())
	require.NoError(t, f.Refresh(t.Context()))
	assert.Equal(t, []string{"192.0.2.7:6443"}, texts(t, f))
}

func TestRefreshFollowsReplacedServers(t *testing.T) {
	client := fake.NewClientset(objects()...)
	f := follower("https://api.example:6443", client)
	require.NoError(t, f.Refresh(t.Context()))
	slice := objects()[1].(*discoveryv1.EndpointSlice)
	slice.Endpoints = []discoveryv1.Endpoint{{Addresses: []string{"172.18.0.9"}}}
	_, err := client.DiscoveryV1().EndpointSlices("default").Update(t.Context(), slice, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, f.Refresh(t.Context()))
	assert.Contains(t, texts(t, f), "172.18.0.9:6443")
	assert.NotContains(t, texts(t, f), "172.18.0.2:6443")
}

func TestRefreshReportsFailedLookups(t *testing.T) {
	for name, c := range map[string]struct {
		host    string
		without string
		message string
	}{
		"host name":     {"https://unknown.example", "", "look up the API server: no such host"},
		"invalid host":  {"::", "", "address of the API server"},
		"Service":       {"https://api.example", "services", "get Service default/kubernetes: forbidden"},
		"EndpointSlice": {"https://api.example", "endpointslices", "get EndpointSlice default/kubernetes: forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(objects()...)
			f := follower("https://api.example:6443", client)
			require.NoError(t, f.Refresh(t.Context()))
			before := texts(t, f)
			f.config.Host = c.host
			client.PrependReactor("get", c.without, func(clienttesting.Action) (bool, runtime.Object, error) {
				return c.without != "", nil, errors.New("forbidden")
			})
			require.ErrorContains(t, f.Refresh(t.Context()), c.message)
			assert.Equal(t, before, texts(t, f), "what was known stays in use")
			unknown := follower(c.host, client)
			require.Error(t, unknown.Refresh(t.Context()))
			_, known := unknown.Addresses()
			assert.False(t, known)
		})
	}
}
