// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// pageSize is the number of objects per page.
const pageSize = 500

// kind is one kind that Roadstead's server stores.
type kind struct {
	schema.GroupVersionKind
	resource string
	// record is set if the controllers write the objects for themselves.
	record bool
}

// groupResource returns the resource name that kubectl accepts.
func (k kind) groupResource() string { return k.resource + "." + k.Group }

// object contains the relevant facts about a stored object.
type object struct {
	kind            kind
	namespace, name string
	uid             types.UID
	resourceVersion string
	deleting        bool
	finalizers      []string
	owners          []types.UID
	// token is the token of the object's hold. released is the token that was last released.
	token, released string
	// endpoint is the object itself if it is a TakaroEndpoint.
	endpoint *takarov1alpha1.TakaroEndpoint
	// state is the reason and the message of the condition Ready unless it is True. It shows why a
	// deletion does not complete.
	state string
}

// place returns "namespace/name", or only the name.
func (o object) place() string {
	if o.namespace == "" {
		return o.name
	}
	return o.namespace + "/" + o.name
}

// String returns the object in the syntax of kubectl.
func (o object) String() string { return o.kind.groupResource() + " " + o.place() }

// reference returns the object for requests of the client.
func (o object) reference() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(o.kind.GroupVersionKind)
	u.SetNamespace(o.namespace)
	u.SetName(o.name)
	return u
}

// findKinds returns the kinds that each of Roadstead's APIs stores, that is, which can be listed
// and deleted. Kinds are discovered and not hard-coded, so that future kinds are included.
func (u *uninstallation) findKinds(services []apiregistration.APIService) ([]kind, error) {
	var found []kind
	for _, service := range services {
		version := schema.GroupVersion{Group: service.Spec.Group, Version: service.Spec.Version}
		served, err := u.discovery.ServerResourcesForGroupVersion(version.String())
		if err != nil {
			return nil, fmt.Errorf("asking %s for its kinds: %w", version, err)
		}
		for _, one := range served.APIResources {
			made := kind{GroupVersionKind: version.WithKind(one.Kind), resource: one.Name}
			made.record = slices.Contains(records, made.groupResource())
			stored := !strings.Contains(one.Name, "/") && slices.Contains(one.Verbs, "list") && slices.Contains(one.Verbs, "delete")
			// All versions of a kind contain the same objects.
			known := slices.ContainsFunc(found, func(k kind) bool { return k.groupResource() == made.groupResource() })
			if stored && !known {
				found = append(found, made)
			}
		}
	}
	return found, nil
}

// list returns all objects of the kinds.
func (u *uninstallation) list(ctx context.Context, kinds []kind) ([]object, error) {
	var all []object
	for _, of := range kinds {
		page := &unstructured.UnstructuredList{}
		for {
			page.SetGroupVersionKind(of.GroupVersion().WithKind(of.Kind + "List"))
			if err := u.client.List(ctx, page, client.Limit(pageSize), client.Continue(page.GetContinue())); err != nil {
				return nil, fmt.Errorf("listing %s: %w", of.groupResource(), err)
			}
			for i := range page.Items {
				all = append(all, read(of, &page.Items[i]))
			}
			if page.GetContinue() == "" {
				break
			}
		}
	}
	return all, nil
}

func read(of kind, source *unstructured.Unstructured) object {
	o := object{
		kind: of, namespace: source.GetNamespace(), name: source.GetName(), uid: source.GetUID(), resourceVersion: source.GetResourceVersion(),
		deleting: source.GetDeletionTimestamp() != nil, finalizers: source.GetFinalizers(),
	}
	o.token, o.released = heldBy(source)
	o.endpoint = endpointOf(of, source)
	for _, owner := range source.GetOwnerReferences() {
		o.owners = append(o.owners, owner.UID)
	}
	// A future kind may have different fields, which is not an error.
	conditions, _, _ := unstructured.NestedSlice(source.Object, "status", "conditions")
	for _, one := range conditions {
		condition, _ := one.(map[string]any)
		if condition["type"] == "Ready" && condition["status"] != "True" {
			o.state = strings.TrimSuffix(fmt.Sprintf("%v: %v", condition["reason"], condition["message"]), ": ")
		}
	}
	return o
}

// delete requests the deletion of an object if it is still the same one. It is no error if the
// object no longer exists.
func (u *uninstallation) delete(ctx context.Context, o object, options ...client.DeleteOption) error {
	err := u.client.Delete(ctx, o.reference(), append(options, client.Preconditions{UID: &o.uid})...)
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return fmt.Errorf("deleting %s: %w", o, err)
}

func filter(all []object, keep func(object) bool) []object {
	var kept []object
	for _, one := range all {
		if keep(one) {
			kept = append(kept, one)
		}
	}
	return kept
}
