// SPDX-License-Identifier: Apache-2.0

package lookup

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/pkg/apis/release"
)

// Stored reads objects of all resources that this server serves.
type Stored interface {
	Get(ctx context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error)
	List(ctx context.Context, resource schema.GroupResource, namespace string, keep func(runtime.Object) bool) ([]runtime.Object, error)
}

// From returns the stores of the group, for callers outside of the registry.
func From(stored Stored) *Objects {
	return &Objects{
		Operators:        resource{stored, "operators"},
		OperatorVersions: resource{stored, "operatorversions"},
		CRDSchemas:       resource{stored, "crdschemas"},
		Versions: func(ctx context.Context) ([]release.OperatorVersion, error) {
			all := func(runtime.Object) bool { return true }
			found, err := stored.List(ctx, release.Resource("operatorversions"), metav1.NamespaceNone, all)
			versions := make([]release.OperatorVersion, 0, len(found))
			for _, version := range found {
				versions = append(versions, *version.(*release.OperatorVersion))
			}
			return versions, err
		},
	}
}

type resource struct {
	stored Stored
	name   string
}

// Get returns one object by its name.
func (r resource) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	return r.stored.Get(ctx, release.Resource(r.name), metav1.NamespaceNone, name)
}
