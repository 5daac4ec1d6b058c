// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// missing is an object whose owner is not in the store.
type missing struct {
	owner     metav1.OwnerReference
	resource  schema.GroupResource
	namespace string
	name      string
}

// missingOf returns the owners of an object that should be among the stored and are not.
func missingOf(resource schema.GroupVersionResource, object *metav1.PartialObjectMetadata, stored map[types.UID]bool) []missing {
	var found []missing
	for _, owner := range object.OwnerReferences {
		gv, err := schema.ParseGroupVersion(owner.APIVersion)
		if err == nil && isOurs(gv.Group) && !stored[owner.UID] {
			found = append(found, missing{owner: owner, resource: resource.GroupResource(), namespace: object.Namespace, name: object.Name})
		}
	}
	return found
}

// describe returns the missing owners and what is deleted with them, sorted.
func describe(all []missing) string {
	owners := map[string][]string{}
	for _, one := range all {
		owner := fmt.Sprintf("%s %s (UID %s)", one.owner.Kind, join(one.namespace, one.owner.Name), one.owner.UID)
		owners[owner] = append(owners[owner], fmt.Sprintf("%s %s", one.resource, join(one.namespace, one.name)))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d owners are not in this store. "+
		"The garbage collector deletes what they own as soon as the store is served:\n", len(owners))
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		fmt.Fprintf(&text, "%s\n", owner)
		slices.Sort(owners[owner])
		for _, dependent := range owners[owner] {
			fmt.Fprintf(&text, "    %s\n", dependent)
		}
	}
	return text.String()
}

func join(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
