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

// requestTimeout ends a request that --request-timeout does not limit: whoever asks what is wrong must get an answer when
// something is.
const requestTimeout = 30 * time.Second

// discoverer tells what a cluster serves.
type discoverer interface {
	ServerGroupsAndResourcesWithContext(ctx context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error)
}

// getter reads a path of the host's API, and gives the body also of an answer that is an error.
type getter func(ctx context.Context, path string) (body []byte, err error)

// cluster is all that the commands ask.
type cluster struct {
	discovery discoverer
	objects   dynamic.Interface
	metadata  metadata.Interface
	// watched is objects without the limit on the time of a request, which would cut watches.
	watched dynamic.Interface
	get     getter
	// namespace is the one of --namespace, else of the kubeconfig.
	namespace string
}

// dial makes the clients. It asks nothing yet.
func (t *tool) dial() (*cluster, error) {
	config, err := t.flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	namespace, _, err := t.flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	watched, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	// Many kinds are listed at once, and each only once: kubectl uses the same limits.
	config.QPS, config.Burst = 50, 300
	if config.Timeout == 0 {
		config.Timeout = requestTimeout
	}
	config.WarningHandler = rest.NewWarningWriter(t.streams.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	// Not the cached client of the flags: what a cluster served ten minutes ago is not what is asked for.
	found, err := discovery.NewDiscoveryClientForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	// By it every kind of the cluster is listed, and that some of them are deprecated is of no use to anybody.
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
