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
	// GroupVersion that it is served in.
	GroupVersion schema.GroupVersion
	// Name is the plural, of a subresource what follows the slash.
	Name string
	// Kind of the body of requests and answers.
	Kind schema.GroupVersionKind
	// Namespaced is false for objects of the whole cluster.
	Namespaced bool
	// ShortNames and Categories are what kubectl takes besides the name.
	ShortNames, Categories []string
	// Verbs that can be granted, in the order of their life: create, get, list, watch, update, patch, delete,
	// deletecollection.
	Verbs []string
	// Columns are those of kubectl get; a priority above 0 is shown with -o wide only.
	Columns []metav1.TableColumnDefinition
	// Subresources by name.
	Subresources []Resource
	// Storage is what serves it.
	Storage rest.Storage
}

// Resources returns every resource that the server serves by default, ordered by group, version and kind. A group or kind
// that is added to the server is among them.
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

// describe finds out what a storage can do, as the installer of the generic server does.
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

// kindOf is the published kind of a storage's objects.
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

// verbs are what can be done with a storage.
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

// Fields returns those of paths that field selectors may name for a kind, besides metadata.name and metadata.namespace.
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
