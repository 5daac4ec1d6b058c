// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// serviceLinks returns the variables that describe Services: always those of default/kubernetes,
// and those of the pod's namespace unless enableServiceLinks is false. A Service named redis
// therefore sets REDIS_PORT=tcp://….
func (r resolver) serviceLinks(ctx context.Context) (map[string]string, error) {
	var services []corev1.Service
	own, err := r.source.services(ctx, r.pod.Namespace)
	if err != nil {
		return nil, fmt.Errorf("list the services of namespace %s: %w", r.pod.Namespace, err)
	}
	common := own
	if r.pod.Namespace != corev1.NamespaceDefault {
		if common, err = r.source.services(ctx, corev1.NamespaceDefault); err != nil {
			return nil, fmt.Errorf("list the services of namespace default: %w", err)
		}
	}
	for _, s := range common {
		if s.Name == "kubernetes" {
			services = append(services, s)
		}
	}
	if links := r.pod.Spec.EnableServiceLinks; links == nil || *links {
		services = append(services, own...)
	}
	out := map[string]string{}
	for _, s := range services {
		addServiceLinks(s, out)
	}
	return out, nil
}

func addServiceLinks(s corev1.Service, out map[string]string) {
	ip := s.Spec.ClusterIP
	if ip == "" || ip == corev1.ClusterIPNone || len(s.Spec.Ports) == 0 {
		return
	}
	name := variable(s.Name)
	out[name+"_SERVICE_HOST"] = ip
	out[name+"_SERVICE_PORT"] = strconv.Itoa(int(s.Spec.Ports[0].Port))
	for i, p := range s.Spec.Ports {
		port, protocol := strconv.Itoa(int(p.Port)), cmp.Or(string(p.Protocol), "TCP")
		url := strings.ToLower(protocol) + "://" + net.JoinHostPort(ip, port)
		if p.Name != "" {
			out[name+"_SERVICE_PORT_"+variable(p.Name)] = port
		}
		if i == 0 {
			out[name+"_PORT"] = url
		}
		prefix := name + "_PORT_" + port + "_" + protocol
		out[prefix], out[prefix+"_PROTO"], out[prefix+"_PORT"], out[prefix+"_ADDR"] = url, strings.ToLower(protocol), port, ip
	}
}

func variable(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}
