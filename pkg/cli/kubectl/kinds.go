// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/discovery"
)

// category is the category of the kinds of Roadstead that are meant for users.
const category = "roadstead"

// groupSuffix is the suffix of the names of Roadstead's groups. It is used only while the discovery
// of a group fails.
const groupSuffix = ".roadstead.dev"

// kind is one kind that the cluster serves, in the group's preferred version.
type kind struct {
	metav1.APIResource
	version schema.GroupVersion
	// subresources are the names of the subresources ("status"), with the kind of the request body.
	subresources map[string]metav1.APIResource
}

func (k *kind) resource() schema.GroupVersionResource { return k.version.WithResource(k.Name) }

// fullName returns the unique name of the kind: domains.takaro.roadstead.dev.
func (k *kind) fullName() string {
	return schema.GroupResource{Group: k.version.Group, Resource: k.Name}.String()
}

func (k *kind) ours() bool { return slices.Contains(k.Categories, category) }

// hasStatus reports whether the kind has a status. Kinds without one only contain data.
func (k *kind) hasStatus() bool { _, has := k.subresources["status"]; return has }

func (k *kind) can(verb string) bool { return slices.Contains(k.Verbs, verb) }

// called reports whether a name, in any case, refers to the kind.
func (k *kind) called(name string) bool {
	name = strings.ToLower(name)
	short, group, qualified := strings.Cut(name, ".")
	if qualified && group != k.version.Group && group != k.version.Version+"."+k.version.Group {
		return false
	}
	return short == k.Name || short == k.SingularName || short == strings.ToLower(k.Kind) || slices.Contains(k.ShortNames, short)
}

// catalog contains the kinds that a cluster serves.
type catalog struct {
	// all are the kinds of all available groups, in the order of their full names.
	all []*kind
	// failed are the registered groups that did not respond.
	failed map[schema.GroupVersion]error
}

// ours returns the kinds of category roadstead that can be listed.
func (c *catalog) ours() []*kind {
	var found []*kind
	for _, k := range c.all {
		if k.ours() && k.can("list") {
			found = append(found, k)
		}
	}
	return found
}

// ourFailed returns Roadstead's groups that did not respond, in order.
func (c *catalog) ourFailed() []schema.GroupVersion {
	var found []schema.GroupVersion
	for version := range c.failed {
		if strings.HasSuffix(version.Group, groupSuffix) {
			found = append(found, version)
		}
	}
	slices.SortFunc(found, func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) })
	return found
}

// discover reads the kinds that a cluster serves. It ignores groups that do not respond, and
// returns an error for a cluster without Roadstead.
func discover(ctx context.Context, from discoverer) (*catalog, error) {
	groups, lists, err := from.ServerGroupsAndResourcesWithContext(ctx)
	found := &catalog{failed: map[schema.GroupVersion]error{}}
	var partial *discovery.ErrGroupDiscoveryFailed
	switch {
	case errors.As(err, &partial):
		found.failed = partial.Groups
	case err != nil:
		return nil, fmt.Errorf("list the kinds that the cluster serves: %w", err)
	}
	found.all = kindsOf(groups, lists)
	if len(found.ours()) == 0 && len(found.ourFailed()) == 0 {
		return nil, errors.New("this cluster serves no kinds of Roadstead: check --context, and check that Roadstead is installed")
	}
	return found, nil
}

// kindsOf returns each kind in the preferred version of its group, or in the next version that
// contains it.
func kindsOf(groups []*metav1.APIGroup, lists []*metav1.APIResourceList) []*kind {
	byVersion := map[string]*metav1.APIResourceList{}
	for _, list := range lists {
		byVersion[list.GroupVersion] = list
	}
	var all []*kind
	for _, group := range groups {
		seen := sets.New[string]()
		versions := append([]metav1.GroupVersionForDiscovery{group.PreferredVersion}, group.Versions...)
		for _, version := range versions {
			list, served := byVersion[version.GroupVersion]
			if !served {
				continue
			}
			for _, k := range kindsIn(list) {
				if !seen.Has(k.Name) {
					seen.Insert(k.Name)
					all = append(all, k)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b *kind) int { return strings.Compare(a.fullName(), b.fullName()) })
	return all
}

func kindsIn(list *metav1.APIResourceList) []*kind {
	version, err := schema.ParseGroupVersion(list.GroupVersion)
	if err != nil {
		return nil // no server of the aggregation layer can have such a version
	}
	byName := map[string]*kind{}
	var found []*kind
	for _, resource := range list.APIResources {
		if !strings.Contains(resource.Name, "/") {
			k := &kind{APIResource: resource, version: version, subresources: map[string]metav1.APIResource{}}
			byName[resource.Name] = k
			found = append(found, k)
		}
	}
	for _, resource := range list.APIResources {
		parent, name, sub := strings.Cut(resource.Name, "/")
		if k := byName[parent]; sub && k != nil {
			k.subresources[name] = resource
		}
	}
	return found
}

// choose returns the kind with a name.
func choose(name string, among []*kind) (*kind, error) {
	var found []*kind
	for _, k := range among {
		if k.called(name) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, fmt.Errorf("%q is not a kind of Roadstead in this cluster; available kinds: %s", name, strings.Join(fullNames(among), ", "))
	}
	return nil, fmt.Errorf("%q is ambiguous: %s; use the full name", name, strings.Join(fullNames(found), ", "))
}

func fullNames(kinds []*kind) []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.fullName())
	}
	return names
}
