// SPDX-License-Identifier: Apache-2.0

package clusternet

import (
	"fmt"
	"net"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
)

// endpoints returns the possible endpoints of a connection to address ("host:port"): for the
// ClusterIP of a Service its ready endpoints, for all others the address itself. It returns an
// error if kube-proxy would refuse the connection.
func endpoints(address string, services []*corev1.Service, slices []*discoveryv1.EndpointSlice) ([]string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	for _, service := range services {
		if service.Spec.ClusterIP != host {
			continue
		}
		for i := range service.Spec.Ports {
			if strconv.Itoa(int(service.Spec.Ports[i].Port)) == port {
				return ready(service, service.Spec.Ports[i].Name, slices)
			}
		}
		return nil, fmt.Errorf("service %s/%s has no port %s", service.Namespace, service.Name, port)
	}
	return []string{address}, nil
}

// ready returns the ready endpoints of one port of a Service. The EndpointSlices contain the number
// of a named port.
func ready(service *corev1.Service, port string, slices []*discoveryv1.EndpointSlice) ([]string, error) {
	var out []string
	for _, slice := range slices {
		if slice.Namespace != service.Namespace || slice.Labels[discoveryv1.LabelServiceName] != service.Name {
			continue
		}
		number, found := numberOf(slice, port)
		for i := range slice.Endpoints {
			e := &slice.Endpoints[i]
			if !found || e.Conditions.Ready != nil && !*e.Conditions.Ready {
				continue
			}
			for _, ip := range e.Addresses {
				out = append(out, net.JoinHostPort(ip, number))
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("service %s/%s has no ready endpoint", service.Namespace, service.Name)
	}
	return out, nil
}

func numberOf(slice *discoveryv1.EndpointSlice, name string) (string, bool) {
	for _, p := range slice.Ports {
		if p.Port != nil && (p.Name == nil && name == "" || p.Name != nil && *p.Name == name) {
			return strconv.Itoa(int(*p.Port)), true
		}
	}
	return "", false
}
