// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"context"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// requestTimeout is the timeout of one request, for addresses that do not respond.
const requestTimeout = time.Minute

// cluster is the cluster of --live. It is only read.
type cluster struct {
	definitions clientset.Interface
	objects     dynamic.Interface
	// host is the address, for messages.
	host string
}

func (o *Options) cluster() (*cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: o.Context}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("--live: no cluster is configured (see --kubeconfig and --context): %w", err)
	}
	config.QPS = -1
	config.Timeout = requestTimeout
	config.UserAgent = Name
	// Deprecated versions are read as well, and their warnings are not useful here.
	config.WarningHandler = rest.NoWarnings{}
	definitions, err := clientset.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("--live: %w", err)
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("--live: %w", err)
	}
	return &cluster{definitions: definitions, objects: objects, host: config.Host}, nil
}

// version returns the version of the API server, such as 1.34.
func (c *cluster) version() (string, error) {
	info, err := c.definitions.Discovery().ServerVersion()
	if err != nil {
		return "", fmt.Errorf("--live: get the version of the cluster at %s: %w", c.host, err)
	}
	return info.GitVersion, nil
}

// definition returns the stored CRD with a name; nil if it does not exist.
func (c *cluster) definition(ctx context.Context, name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	found, err := c.definitions.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--live: cannot read %s from the cluster at %s: %w", name, c.host, err)
	}
	return found, nil
}
