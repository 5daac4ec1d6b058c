// SPDX-License-Identifier: Apache-2.0

package clusternet

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestEndpoints(t *testing.T) {
	services := []*corev1.Service{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "server"}, Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.7",
			Ports: []corev1.ServicePort{{Name: "https", Port: 443}, {Name: "metrics", Port: 9090}}}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "server"}, Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.8",
			Ports: []corev1.ServicePort{{Port: 80}}}},
	}
	slices := []*discoveryv1.EndpointSlice{
		slice("a", "server", "https", 8443, ready1("10.245.0.1"), ready1("10.245.0.2"), unready1("10.245.0.3")),
		slice("a", "other", "https", 8443, ready1("10.245.0.9")),
		slice("b", "server", "", 8080, ready1("10.245.0.4")),
	}
	for name, c := range map[string]struct {
		address string
		want    []string
		fails   string
	}{
		"a pod or node is itself":             {address: "10.245.0.5:10250", want: []string{"10.245.0.5:10250"}},
		"a Service is its ready endpoints":    {address: "10.96.0.7:443", want: []string{"10.245.0.1:8443", "10.245.0.2:8443"}},
		"of its own namespace":                {address: "10.96.0.8:80", want: []string{"10.245.0.4:8080"}},
		"a port that it does not have":        {address: "10.96.0.7:80", fails: "service a/server has no port 80"},
		"a port of which no endpoint is told": {address: "10.96.0.7:9090", fails: "service a/server has no ready endpoint"},
		"no address":                          {address: "10.96.0.7", fails: "missing port"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := endpoints(c.address, services, slices)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func slice(namespace, service, port string, number int32, endpoints ...discoveryv1.Endpoint) *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Labels: map[string]string{discoveryv1.LabelServiceName: service}},
		Ports:      []discoveryv1.EndpointPort{{Name: &port, Port: &number}},
		Endpoints:  endpoints,
	}
}

func ready1(ip string) discoveryv1.Endpoint {
	return discoveryv1.Endpoint{Addresses: []string{ip}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(true)}}
}

func unready1(ip string) discoveryv1.Endpoint {
	return discoveryv1.Endpoint{Addresses: []string{ip}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(false),
		Serving: ptr.To(true), Terminating: ptr.To(true)}}
}
