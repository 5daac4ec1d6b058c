// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/test/framework/cluster"
)

// render returns the objects of a kustomize directory, rewritten for a server that listens on a
// local port.
func render(ctx context.Context, c *cluster.Cluster, folder, port string) ([]*unstructured.Unstructured, error) {
	out, _, err := c.Kubectl(ctx, "kustomize", folder)
	if err != nil {
		return nil, fmt.Errorf("local: render %s: %w", folder, err)
	}
	all, err := decode(strings.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("local: render %s: %w", folder, err)
	}
	number, err := strconv.ParseInt(port, 10, 32)
	if err != nil {
		return nil, err
	}
	return rewrite(all, number)
}

func decode(text io.Reader) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(text, 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if len(object.Object) > 0 {
			all = append(all, object)
		}
	}
}

// rewrite removes the workloads, which run as local processes instead, and points the Service and
// the APIServices to the local server. All other objects are unchanged.
func rewrite(all []*unstructured.Unstructured, port int64) ([]*unstructured.Unstructured, error) {
	var kept []*unstructured.Unstructured
	for _, object := range all {
		var err error
		switch object.GroupVersionKind().GroupKind().String() {
		case "StatefulSet.apps", "Deployment.apps":
			continue
		case "Service":
			// The control plane does not reach ClusterIPs, and Endpoints may not contain a loopback
			// address.
			object.Object["spec"] = map[string]any{
				"type": "ExternalName", "externalName": "localhost",
				"ports": []any{map[string]any{"name": "https", "port": port, "protocol": "TCP"}},
			}
		case "APIService.apiregistration.k8s.io":
			err = unstructured.SetNestedField(object.Object, port, "spec", "service", "port")
		}
		if err != nil {
			return nil, fmt.Errorf("local: rewrite %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		kept = append(kept, object)
	}
	return kept, nil
}

// apply applies the objects as the administrator.
func apply(ctx context.Context, c *cluster.Cluster, all []*unstructured.Unstructured) error {
	var text strings.Builder
	for _, object := range all {
		one, err := sigsyaml.Marshal(object.Object)
		if err != nil {
			return err
		}
		text.WriteString("---\n")
		text.Write(one)
	}
	_, _, err := c.KubectlAs(c.Kubeconfig()).WithStdin(strings.NewReader(text.String())).
		Run(ctx, "apply", "--server-side", "--field-manager=roadstead-install", "-f", "-")
	if err != nil {
		return fmt.Errorf("local: apply the manifests: %w", err)
	}
	return nil
}

// Name of the ConfigMap with the shipped audit policy, and the key in it.
const (
	auditPolicy    = "roadstead-apiserver-audit"
	auditPolicyKey = "policy.yaml"
)

// writeAuditPolicy writes the shipped audit policy into a file.
func writeAuditPolicy(all []*unstructured.Unstructured, path string) error {
	for _, object := range all {
		if object.GetKind() != "ConfigMap" || object.GetName() != auditPolicy {
			continue
		}
		policy, _, err := unstructured.NestedString(object.Object, "data", auditPolicyKey)
		if err != nil || policy == "" {
			return fmt.Errorf("local: ConfigMap %s has no text %s", auditPolicy, auditPolicyKey)
		}
		return os.WriteFile(path, []byte(policy), 0o644)
	}
	return fmt.Errorf("local: the manifests have no ConfigMap %s", auditPolicy)
}

// apiServices returns the names of the APIServices among the objects.
func apiServices(all []*unstructured.Unstructured) []string {
	var names []string
	for _, object := range all {
		if object.GetKind() == "APIService" {
			names = append(names, object.GetName())
		}
	}
	return names
}
