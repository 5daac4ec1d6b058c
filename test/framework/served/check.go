// SPDX-License-Identifier: Apache-2.0

package served

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// Checker checks whether a server without any objects would accept manifests of Roadstead's kinds.
type Checker struct {
	resources map[schema.GroupVersionKind]Resource
	decoder   runtime.Decoder
}

// NewChecker returns a Checker for every kind that is served by default.
func NewChecker() (*Checker, error) {
	resources, err := Resources()
	if err != nil {
		return nil, err
	}
	checker := &Checker{
		resources: map[schema.GroupVersionKind]Resource{},
		// This matches fieldValidation=Strict, which kubectl requests by default.
		decoder: serializer.NewCodecFactory(apiserver.Scheme, serializer.EnableStrict).UniversalDecoder(internalVersions(resources)...),
	}
	for _, resource := range resources {
		checker.resources[resource.Kind] = resource
	}
	return checker, nil
}

func internalVersions(resources []Resource) []schema.GroupVersion {
	var versions []schema.GroupVersion
	for _, resource := range resources {
		versions = append(versions, schema.GroupVersion{Group: resource.GroupVersion.Group, Version: runtime.APIVersionInternal})
	}
	return versions
}

// Check validates the Roadstead objects in a manifest of one or more YAML documents: unknown
// fields, defaults, declarative validation and the rules of the kind. It returns the kinds of the
// validated objects. Objects of other APIs are skipped. Admission is not run, because it requires a
// cluster.
func (c *Checker) Check(manifest string) ([]string, error) {
	reader := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(manifest)))
	var kinds []string
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return kinds, nil
		}
		if err != nil {
			return kinds, err
		}
		kind, err := c.document(document)
		if err != nil {
			return kinds, err
		}
		if kind != "" {
			kinds = append(kinds, kind)
		}
	}
}

// document validates one object and returns its kind, or "" for an object of another API.
func (c *Checker) document(document []byte) (string, error) {
	var header metav1.TypeMeta
	if err := yaml.Unmarshal(document, &header); err != nil {
		return "", err
	}
	resource, ours := c.resources[header.GroupVersionKind()]
	group := header.GroupVersionKind().Group
	switch {
	case ours:
		if err := c.create(resource, document); err != nil {
			return "", fmt.Errorf("%s: %w", header.Kind, err)
		}
		return header.Kind, nil
	case slices.ContainsFunc(slices.Collect(maps.Keys(c.resources)), func(known schema.GroupVersionKind) bool { return known.Group == group }):
		return "", fmt.Errorf("there is no kind %s in %s", header.Kind, header.APIVersion)
	}
	return "", nil
}

// create performs the steps of the server for a new object up to the write to the store.
func (c *Checker) create(resource Resource, document []byte) error {
	object, _, err := c.decoder.Decode(document, nil, nil)
	if err != nil {
		return err
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	rest.FillObjectMetaSystemFields(accessor)
	info := &request.RequestInfo{
		IsResourceRequest: true, Verb: "create",
		APIGroup: resource.GroupVersion.Group, APIVersion: resource.GroupVersion.Version, Resource: resource.Name,
	}
	if resource.Namespaced {
		info.Namespace = cmp.Or(accessor.GetNamespace(), metav1.NamespaceDefault)
	}
	ctx := request.WithRequestInfo(request.WithNamespace(context.Background(), info.Namespace), info)
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: "somebody"})
	switch storage := resource.Storage.(type) {
	case *generic.REST:
		// The Create method of the storage is not called, because it also registers claims and
		// checks the creator of Approvals.
		return rest.BeforeCreate(storage.CreateStrategy, ctx, object)
	case rest.Creater: //nolint:misspell // the name is Kubernetes' own
		// The storage has additional steps at create, such as the comparison of CRDs, or returns a
		// response without storing an object.
		_, err := storage.Create(ctx, object, rest.ValidateAllObjectFunc, &metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	return fmt.Errorf("%s cannot be created", resource.Name)
}
