// SPDX-License-Identifier: Apache-2.0

package clusternet

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
	"k8s.io/client-go/tools/cache"
)

// TestTheNetworkCarriesConnections sends the requests that kube-apiserver sends.
func TestTheNetworkCarriesConnections(t *testing.T) {
	n := network(t)
	assert.Contains(t, ask(t, n, "10.96.0.7:443"), "502 Bad Gateway", "it knows no cluster yet")
	known(t, n)
	address, err := n.Address("10.245.0.1")
	require.NoError(t, err)
	pod, err := net.Listen("tcp", address+":8443")
	require.NoError(t, err)
	t.Cleanup(func() { _ = pod.Close() })
	go func() {
		for {
			conn, err := pod.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "hello from the pod")
			_ = conn.Close()
		}
	}()
	for _, to := range []string{"10.96.0.7:443", "10.245.0.1:8443"} {
		assert.Equal(t, "HTTP/1.1 200 Connection established\r\n\r\nhello from the pod", ask(t, n, to))
	}
	assert.Contains(t, ask(t, n, "10.245.0.2:8443"), "connection refused", "nobody listens there")
}

func TestNetworksKeepApart(t *testing.T) {
	one, err := network(t).Address("10.245.3.4")
	require.NoError(t, err)
	other, err := network(t).Address("10.245.3.4")
	require.NoError(t, err)
	assert.NotEqual(t, one, other)
	for _, wrong := range []string{"", "localhost", "fd00::1"} {
		_, err := network(t).Address(wrong)
		require.ErrorContains(t, err, "is no IPv4 address")
	}
}

func network(t *testing.T) *Network {
	t.Helper()
	n, err := New(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, n.Close())
		require.NoError(t, n.Close(), "a second time")
	})
	return n
}

// known adds one Service with one pod to the network.
func known(t *testing.T, n *Network) {
	t.Helper()
	services, slices := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil), cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	require.NoError(t, services.Add(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "server"},
		Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.7", Ports: []corev1.ServicePort{{Name: "https", Port: 443}}}}))
	require.NoError(t, slices.Add(slice("a", "server", "https", 8443, []discoveryv1.Endpoint{ready1("10.245.0.1")}...)))
	n.routes.follow(corelisters.NewServiceLister(services), discoverylisters.NewEndpointSliceLister(slices))
}

// ask returns the complete response to one CONNECT.
func ask(t *testing.T, n *Network, address string) string {
	t.Helper()
	conn, err := net.Dial("unix", n.socketPath())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", address)
	require.NoError(t, err)
	r := bufio.NewReader(conn)
	start, err := r.Peek(12)
	require.NoError(t, err)
	if string(start) == "HTTP/1.1 200" {
		all, err := io.ReadAll(r)
		require.NoError(t, err)
		return string(all)
	}
	answer, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.Status + " " + string(body)
}
