// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// establishedLimit is far longer than a CRD needs to be served.
const establishedLimit = time.Minute

// Definitions is the resource of CustomResourceDefinitions.
var Definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// Install creates CRDs of Roadstead's kinds in a cluster that serves these kinds, and returns when
// the CRDs are served too. The client configuration needs permission to create CRDs and to read the
// published schema.
func Install(ctx context.Context, config *rest.Config, kinds ...Kind) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		document, err := client.Discovery().RESTClient().Get().AbsPath("/openapi/v3/apis/" + kind.Group + "/" + Version).DoRaw(ctx)
		if err != nil {
			return fmt.Errorf("peer: the OpenAPI document of %s: %w", kind.Group, err)
		}
		schema, err := Schema(document, kind.Name)
		if err != nil {
			return err
		}
		if err := kind.amendments.apply(schema); err != nil {
			return err
		}
		if err := Create(ctx, config, kind.Definition(kind.PeerGroup(), schema)); err != nil {
			return err
		}
	}
	return nil
}

// Definition returns the CustomResourceDefinition of the kind in an API group, with a schema.
func (k Kind) Definition(group string, schema map[string]any) *unstructured.Unstructured {
	scope := "Namespaced"
	if k.ClusterScoped {
		scope = "Cluster"
	}
	version := node{
		"name": Version, "served": true, "storage": true, "schema": node{"openAPIV3Schema": schema},
		"subresources": node{"status": node{}},
	}
	if len(k.columns) > 0 {
		version["additionalPrinterColumns"] = k.columns
	}
	return &unstructured.Unstructured{Object: node{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": node{"name": k.Plural + "." + group},
		"spec": node{
			"group": group, "scope": scope, "names": node{"plural": k.Plural, "singular": k.Singular, "kind": k.Name},
			"versions": []any{version},
		},
	}}
}

// Create creates a CustomResourceDefinition and returns when it is served.
func Create(ctx context.Context, config *rest.Config, definition *unstructured.Unstructured) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	definitions := client.Resource(Definitions)
	if _, err := definitions.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("peer: %w", err)
	}
	var last error
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, establishedLimit, true, func(ctx context.Context) (bool, error) {
		found, err := definitions.Get(ctx, definition.GetName(), metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		last = established(found)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("peer: CustomResourceDefinition %s: %w", definition.GetName(), errors.Join(err, last))
	}
	return nil
}

// established returns nil if the CRD is served.
func established(definition *unstructured.Unstructured) error {
	found, _, err := unstructured.NestedSlice(definition.Object, "status", "conditions")
	if err != nil {
		return err
	}
	for _, one := range found {
		condition, _ := one.(node)
		switch {
		case condition["type"] == "NonStructuralSchema" && condition["status"] == "True":
			return fmt.Errorf("its schema is not structural: %v", condition["message"])
		case condition["type"] == "Established" && condition["status"] == "True":
			return nil
		}
	}
	return errors.New("not established yet")
}
