// SPDX-License-Identifier: Apache-2.0

// Package apiaddresses follows the addresses of the cluster's API server: the address in the
// client configuration, the cluster IPs of the Service "kubernetes", and all its endpoints.
// Connections to addresses in specs are checked against them. After a failed lookup, the last
// known addresses stay in use. Before the first successful lookup, the addresses are reported as
// unknown.
package apiaddresses

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

const (
	// service is the name of the API server's Service and EndpointSlice, in the namespace "default".
	service   = "kubernetes"
	namespace = metav1.NamespaceDefault

	// period is the time between lookups. Upgrades of the control plane replace API servers.
	period = time.Minute
	// retry is the time to the next lookup after a failed one.
	retry = 5 * time.Second
	// timeout bounds a lookup.
	timeout = 10 * time.Second
)

// Follower follows the addresses of the API server. Its methods are safe for concurrent use.
type Follower struct {
	config *rest.Config
	client kubernetes.Interface
	// resolve returns the addresses of a host name.
	resolve func(ctx context.Context, network, host string) ([]netip.Addr, error)

	mu    sync.Mutex
	known []netip.AddrPort
}

// New returns a follower for the cluster of a client configuration. It has no addresses before
// Start.
func New(config *rest.Config) (*Follower, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Follower{config: config, client: client, resolve: net.DefaultResolver.LookupNetIP}, nil
}

// Addresses returns the addresses of the last successful lookup, and false if there was none.
func (f *Follower) Addresses() ([]netip.AddrPort, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known, f.known != nil
}

// NeedLeaderElection returns false: each replica follows the addresses.
func (f *Follower) NeedLeaderElection() bool { return false }

// Start reads the addresses immediately and every minute until ctx ends. It logs each failed
// lookup.
func (f *Follower) Start(ctx context.Context) error {
	for {
		wait := period
		if err := f.Refresh(ctx); err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "Failed to look up the addresses of the API server", "retryAfter", retry)
			wait = retry
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// Refresh reads the addresses once.
func (f *Follower) Refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var found []netip.AddrPort
	for _, lookup := range []func(context.Context) ([]netip.AddrPort, error){f.ofConfig, f.ofService, f.ofEndpoints} {
		addresses, err := lookup(ctx)
		if err != nil {
			return err
		}
		found = append(found, addresses...)
	}
	slices.SortFunc(found, netip.AddrPort.Compare)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known = slices.Compact(found)
	return nil
}

// ofConfig returns the addresses that this process uses for the API server.
func (f *Follower) ofConfig(ctx context.Context) ([]netip.AddrPort, error) {
	address, _, err := rest.DefaultServerUrlFor(f.config)
	if err != nil {
		return nil, fmt.Errorf("address of the API server: %w", err)
	}
	text := address.Port()
	if text == "" {
		text = "443"
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("port of the API server: %w", err)
	}
	ips, err := f.resolve(ctx, "ip", address.Hostname())
	if err != nil {
		return nil, fmt.Errorf("look up the API server: %w", err)
	}
	var addresses []netip.AddrPort
	for _, ip := range ips {
		addresses = append(addresses, netip.AddrPortFrom(ip.Unmap().WithZone(""), uint16(port)))
	}
	return addresses, nil
}

// ofService returns the addresses of the Service.
func (f *Follower) ofService(ctx context.Context) ([]netip.AddrPort, error) {
	found, err := f.client.CoreV1().Services(namespace).Get(ctx, service, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get Service %s/%s: %w", namespace, service, err)
	}
	var ports []int32
	for _, port := range found.Spec.Ports {
		ports = append(ports, port.Port)
	}
	return combine(found.Spec.ClusterIPs, ports), nil
}

// ofEndpoints returns the addresses of all API servers. kube-apiserver itself writes this
// EndpointSlice, unless it listens on a loopback address or --endpoint-reconciler-type=none is set.
func (f *Follower) ofEndpoints(ctx context.Context) ([]netip.AddrPort, error) {
	found, err := f.client.DiscoveryV1().EndpointSlices(namespace).Get(ctx, service, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get EndpointSlice %s/%s: %w", namespace, service, err)
	}
	var ips []string
	for i := range found.Endpoints {
		ips = append(ips, found.Endpoints[i].Addresses...)
	}
	var ports []int32
	for _, port := range found.Ports {
		if port.Port != nil {
			ports = append(ports, *port.Port)
		}
	}
	return combine(ips, ports), nil
}

// combine returns each address with each port. It skips values that are not IP addresses.
func combine(ips []string, ports []int32) []netip.AddrPort {
	var addresses []netip.AddrPort
	for _, text := range ips {
		ip, err := netip.ParseAddr(text)
		if err != nil {
			continue // "None": a Service without a cluster IP
		}
		for _, port := range ports {
			addresses = append(addresses, netip.AddrPortFrom(ip.Unmap(), uint16(port)))
		}
	}
	return addresses
}
