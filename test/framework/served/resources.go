// SPDX-License-Identifier: Apache-2.0

package served

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apiserver"
)

// Resource is one resource of an API group, or one of its subresources.
type Resource struct {
	// GroupVersion is the group and version in which the resource is served.
	GroupVersion schema.GroupVersion
	// Name is the plural name, or for a subresource the part after the slash.
	Name string
	// Kind is the kind of the request and response bodies.
	Kind schema.GroupVersionKind
	// Namespaced is false for cluster-scoped resources.
	Namespaced bool
	// ShortNames and Categories are the names that kubectl accepts in addition to Name.
	ShortNames, Categories []string
	// Verbs are the verbs that can be granted, in this order: create, get, list, watch, update,
	// patch, delete, deletecollection.
	Verbs []string
	// Columns are the columns of kubectl get. Columns with a priority above 0 are shown only with
	// -o wide.
	Columns []metav1.TableColumnDefinition
	// Subresources are ordered by name.
	Subresources []Resource
	// Storage is the storage of the resource.
	Storage rest.Storage
}

// Resources returns every resource that the server serves by default, ordered by group, version and
// kind. It includes groups and kinds that are added to the server later.
func Resources() ([]Resource, error) {
	allow := authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
		return authorizer.DecisionAllow, "", nil
	})
	groups, err := apiserver.Groups(apiserver.ExtraConfig{}, allow, apiserver.DefaultResources(), emptyStores{})
	if err != nil {
		return nil, err
	}
	var all []Resource
	for _, group := range groups {
		for version, storages := range group.VersionedResourcesStorageMap {
			gv := schema.GroupVersion{Group: group.PrioritizedVersions[0].Group, Version: version}
			found, err := resourcesOf(gv, storages)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", gv, err)
			}
			all = append(all, found...)
		}
	}
	slices.SortFunc(all, func(a, b Resource) int {
		return cmp.Or(cmp.Compare(a.GroupVersion.String(), b.GroupVersion.String()), cmp.Compare(strings.ToLower(a.Kind.Kind),
			strings.ToLower(b.Kind.Kind)))
	})
	return all, nil
}

// resourcesOf describes what a version of a group serves.
func resourcesOf(gv schema.GroupVersion, storages map[string]rest.Storage) ([]Resource, error) {
	main := map[string]*Resource{}
	for _, path := range slices.Sorted(maps.Keys(storages)) { // A subresource sorts after its resource.
		name, sub, isSub := strings.Cut(path, "/")
		described, err := describe(gv, storages[path])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if !isSub {
			described.Name = name
			main[name] = described
			continue
		}
		described.Name = sub
		main[name].Subresources = append(main[name].Subresources, *described)
	}
	var all []Resource
	for _, resource := range main {
		all = append(all, *resource)
	}
	return all, nil
}

// describe determines the capabilities of a storage, as the installer of the generic server does.
func describe(gv schema.GroupVersion, storage rest.Storage) (*Resource, error) {
	kind, err := kindOf(gv, storage)
	if err != nil {
		return nil, err
	}
	resource := &Resource{GroupVersion: gv, Kind: kind, Verbs: verbs(storage), Storage: storage}
	if scoped, ok := storage.(rest.Scoper); ok {
		resource.Namespaced = scoped.NamespaceScoped()
	}
	if named, ok := storage.(rest.ShortNamesProvider); ok {
		resource.ShortNames = named.ShortNames()
	}
	if grouped, ok := storage.(rest.CategoriesProvider); ok {
		resource.Categories = grouped.Categories()
	}
	if printer, ok := storage.(rest.TableConvertor); ok {
		table, err := printer.ConvertToTable(context.Background(), storage.New(), &metav1.TableOptions{})
		if err != nil {
			return nil, err
		}
		resource.Columns = table.ColumnDefinitions
	}
	return resource, nil
}

// kindOf returns the published kind of the objects of a storage.
func kindOf(gv schema.GroupVersion, storage rest.Storage) (schema.GroupVersionKind, error) {
	if provider, ok := storage.(rest.GroupVersionKindProvider); ok {
		return provider.GroupVersionKind(gv), nil
	}
	kinds, _, err := apiserver.Scheme.ObjectKinds(storage.New())
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return gv.WithKind(kinds[0].Kind), nil
}

// verbs returns the verbs that a storage supports.
func verbs(storage rest.Storage) []string {
	var found []string
	for _, can := range []struct {
		verb string
		does bool
	}{
		{"create", is[rest.Creater](storage) || is[rest.NamedCreater](storage)}, //nolint:misspell // the name is Kubernetes' own
		{"get", is[rest.Getter](storage)},
		{"list", is[rest.Lister](storage)},
		{"watch", is[rest.Watcher](storage)},
		{"update", is[rest.Updater](storage)},
		{"patch", is[rest.Patcher](storage)},
		{"delete", is[rest.GracefulDeleter](storage)},
		{"deletecollection", is[rest.CollectionDeleter](storage)},
	} {
		if can.does {
			found = append(found, can.verb)
		}
	}
	return found
}

func is[T any](storage rest.Storage) bool {
	_, ok := storage.(T)
	return ok
}

// Fields returns the paths that field selectors support for a kind, in addition to metadata.name
// and metadata.namespace.
func Fields(kind schema.GroupVersionKind, paths []string) []string {
	var selectable []string
	for _, path := range paths {
		if _, _, err := apiserver.Scheme.ConvertFieldLabel(kind, path, "x"); err == nil {
			selectable = append(selectable, path)
		}
	}
	return selectable
}

// New returns an empty object of a published kind.
func New(kind schema.GroupVersionKind) (runtime.Object, error) { return apiserver.Scheme.New(kind) }
