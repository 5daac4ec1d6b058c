// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework/install"
)

// Direct returns a configuration of the administrator for an API server ("host:port") that bypasses
// the aggregation layer.
func (e *Env) Direct(address string) *rest.Config {
	config := e.Cluster.AdminConfig()
	config.Host = "https://" + address
	config.Insecure, config.CAData, config.CAFile = true, nil, ""
	return config
}

// Anchors returns the anchor of each of Roadstead's APIServices, "" if it has none.
func (e *Env) Anchors(ctx context.Context) (map[string]string, error) {
	client, err := aggregator.NewForConfig(e.Cluster.AdminConfig())
	if err != nil {
		return nil, err
	}
	list, err := client.ApiregistrationV1().APIServices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, one := range list.Items {
		if service := one.Spec.Service; service != nil && service.Namespace == install.Namespace {
			found[one.Name] = one.Annotations[storeidentity.AnchorAnnotation]
		}
	}
	if len(found) == 0 {
		return nil, errors.New("the cluster has no APIService of Roadstead")
	}
	return found, nil
}

// SetAnchors sets the anchor on all of Roadstead's APIServices; "" removes it.
func (e *Env) SetAnchors(ctx context.Context, anchor string) error {
	client, err := aggregator.NewForConfig(e.Cluster.AdminConfig())
	if err != nil {
		return err
	}
	found, err := e.Anchors(ctx)
	if err != nil {
		return err
	}
	value := fmt.Sprintf("%q", anchor)
	if anchor == "" {
		value = "null"
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%s}}}`, storeidentity.AnchorAnnotation, value)
	for name := range found {
		if _, err := client.ApiregistrationV1().APIServices().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// ForgetStore removes the records of the store from the cluster: the next server that starts with
// an empty etcd initializes a new store. The servers must be stopped.
func (e *Env) ForgetStore(ctx context.Context) error {
	err := e.Admin.CoreV1().ConfigMaps(install.Namespace).Delete(ctx, storeidentity.ConfigMapName, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return e.SetAnchors(ctx, "")
}

var acceptCommand = regexp.MustCompile(`roadstead-apiserver (accept-store --id=\S+) --reason=`)

// AcceptArgs returns the arguments of the command in the message of a refused request, without the
// reason.
func AcceptArgs(t *testing.T, message string) []string {
	t.Helper()
	found := acceptCommand.FindStringSubmatch(message)
	require.NotNil(t, found, "the message names no command: %s", message)
	return strings.Fields(found[1])
}

// AcceptStore runs accept-store as the administrator with the arguments of AcceptArgs and
// additional ones, and returns the output.
func (e *Env) AcceptStore(t *testing.T, args []string, more ...string) (string, error) {
	t.Helper()
	args = append(append([]string{}, args...), "--reason=a test", "--kubeconfig="+e.Cluster.Kubeconfig(), "--namespace="+install.Namespace)
	out, err := exec.CommandContext(t.Context(), "../../../bin/"+install.APIServer, append(args, more...)...).CombinedOutput()
	return string(out), err
}

// unlessMatches returns an error with the text unless the text matches pattern.
func unlessMatches(pattern *regexp.Regexp, text string) error {
	if pattern.MatchString(text) {
		return nil
	}
	return fmt.Errorf("it is %q", text)
}
