// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// requestTimeout is the timeout of a request without --request-timeout, because the commands must
// return also if the cluster does not respond.
const requestTimeout = 30 * time.Second

// discoverer returns what a cluster serves.
type discoverer interface {
	ServerGroupsAndResourcesWithContext(ctx context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error)
}

// getter reads a path of the cluster's API, and returns the body also with an error.
type getter func(ctx context.Context, path string) (body []byte, err error)

// cluster is the access to the cluster that the commands need.
type cluster struct {
	discovery discoverer
	objects   dynamic.Interface
	metadata  metadata.Interface
	// watched is like objects, without the timeout of requests, which would end watches.
	watched dynamic.Interface
	get     getter
	// namespace is that of --namespace, otherwise that of the kubeconfig.
	namespace string
}

// dial creates the clients. It sends no request yet.
func (t *tool) dial() (*cluster, error) {
	config, err := t.flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	namespace, _, err := t.flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	watched, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	// Many kinds are listed at the same time, each of them once. kubectl uses the same limits.
	config.QPS, config.Burst = 50, 300
	if config.Timeout == 0 {
		config.Timeout = requestTimeout
	}
	config.WarningHandler = rest.NewWarningWriter(t.streams.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	// Not the cached discovery client of the flags, whose cache may be ten minutes old.
	found, err := discovery.NewDiscoveryClientForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	// This client lists every kind of the cluster, so warnings about deprecated kinds are not
	// useful.
	quiet := metadata.ConfigFor(config)
	quiet.WarningHandler = rest.NoWarnings{}
	meta, err := metadata.NewForConfigAndClient(quiet, client)
	if err != nil {
		return nil, err
	}
	get := func(ctx context.Context, path string) ([]byte, error) {
		return found.RESTClient().Get().AbsPath(path).Param("verbose", "true").MaxRetries(0).Do(ctx).Raw()
	}
	return &cluster{discovery: found, objects: objects, metadata: meta, watched: watched, get: get, namespace: namespace}, nil
}
