// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"fmt"
	"slices"
	"strings"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// DefaultRedisPorts are the ports that spec.redis may use by default. System services listen on
// lower ports.
const DefaultRedisPorts = "1024-65535"

// RedisPorts are the ports that spec.redis may use. The zero value allows none.
type RedisPorts []utilnet.PortRange

// ParseRedisPorts parses a list of ports ("6379") and ranges ("1024-65535").
func ParseRedisPorts(typed []string) (RedisPorts, error) {
	var ports RedisPorts
	for _, text := range typed {
		parsed, err := utilnet.ParsePortRange(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		if parsed.Base < 1 || parsed.Size < 1 {
			return nil, fmt.Errorf("%q is not a port or a range of ports", text)
		}
		ports = append(ports, *parsed)
	}
	return ports, nil
}

// String returns the ports in the syntax of ParseRedisPorts.
func (p RedisPorts) String() string {
	texts := make([]string, len(p))
	for i := range p {
		texts[i] = p[i].String()
	}
	return strings.Join(texts, ",")
}

// check returns why a port of spec.redis is not allowed, or nil. Only a change of the spec or of
// the flag resolves that.
func (p RedisPorts) check(port int32) *base.Blocked {
	if slices.ContainsFunc(p, func(allowed utilnet.PortRange) bool { return allowed.Contains(int(port)) }) {
		return nil
	}
	if len(p) == 0 {
		return &base.Blocked{Reason: v1alpha1.ReasonRedisUnavailable, Message: "This installation does not allow spec.redis. Remove it."}
	}
	return &base.Blocked{Reason: v1alpha1.ReasonRedisUnavailable, Message: fmt.Sprintf(
		"Port %d of spec.redis is not allowed. Use one of these ports: %s. An administrator can allow others with --redis-ports.", port, p)}
}
