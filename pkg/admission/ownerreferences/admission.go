// SPDX-License-Identifier: Apache-2.0

// Package ownerreferences holds the rules of Kubernetes' admission plugin
// OwnerReferencesPermissionEnforcement for the objects of this server. The plugin itself is in
// k8s.io/kubernetes, which cannot be imported, and kube-apiserver does not run it for objects of an
// aggregated server:
//
//   - A user that changes the owners of an object must be allowed to delete the object, because the
//     garbage collector deletes an object whose owners no longer exist.
//   - A user that sets blockOwnerDeletion must be allowed to update the finalizers of that owner,
//     because a foreground deletion of the owner then waits for the object.
//
// See https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/.
package ownerreferences

import (
	"context"
	"errors"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	genericinitializer "k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/admission/initializer"
)

// PluginName is the plugin's name in flags, as in kube-apiserver.
const PluginName = "OwnerReferencesPermissionEnforcement"

// Plugin is the admission plugin.
type Plugin struct {
	*admission.Handler
	initializer.Authorized
	// served are the kinds of this server, which are known before the cluster's discovery has them.
	served initializer.Kinds
	// cluster are the kinds of the cluster.
	cluster initializer.Kinds
}

var (
	_ admission.ValidationInterface      = &Plugin{}
	_ genericinitializer.WantsAuthorizer = &Plugin{}
	_ genericinitializer.WantsRESTMapper = &Plugin{}
	_ initializer.WantsServedKinds       = &Plugin{}
)

// New returns the plugin without its authorizer and kinds.
func New() *Plugin {
	return &Plugin{Handler: admission.NewHandler(admission.Create, admission.Update)}
}

// SetRESTMapper sets the kinds of the cluster.
func (p *Plugin) SetRESTMapper(mapper meta.RESTMapper) { p.cluster = mapper }

// SetServedKinds sets the kinds of this server.
func (p *Plugin) SetServedKinds(kinds initializer.Kinds) { p.served = kinds }

// ValidateInitialization returns an error if something is missing.
func (p *Plugin) ValidateInitialization() error {
	if p.Authorizer == nil || p.served == nil || p.cluster == nil {
		return errors.New(PluginName + ": the authorizer, the kinds of this server or the kinds of the cluster are not set")
	}
	return nil
}

// Validate reviews a change of owners.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	now, before := ownersOf(a.GetObject()), ownersOf(a.GetOldObject())
	if apiequality.Semantic.DeepEqual(now, before) {
		return nil
	}
	if a.GetOperation() != admission.Create {
		if err := p.mayDelete(ctx, a); err != nil {
			return err
		}
	}
	blocking := newlyBlocking(now, before)
	if len(blocking) == 0 {
		return nil
	}
	// A caller who may update all finalizers can work while discovery fails.
	if p.require(ctx, a, authorizer.AttributesRecord{
		Verb: "update", APIGroup: "*", APIVersion: "*", Resource: "*", Subresource: "finalizers", Name: "*",
	}, "") == nil {
		return nil
	}
	for _, owner := range blocking {
		if err := p.mayBlock(ctx, a, owner); err != nil {
			return err
		}
	}
	return nil
}

// ownersOf returns the owners of an object, none of something without metadata.
func ownersOf(object runtime.Object) []metav1.OwnerReference {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil
	}
	return accessor.GetOwnerReferences()
}

// newlyBlocking returns the owners whose deletion was not blocked before.
func newlyBlocking(now, before []metav1.OwnerReference) []metav1.OwnerReference {
	blocked := map[types.UID]bool{}
	for _, owner := range before {
		blocked[owner.UID] = ptr.Deref(owner.BlockOwnerDeletion, false)
	}
	var found []metav1.OwnerReference
	for _, owner := range now {
		if ptr.Deref(owner.BlockOwnerDeletion, false) && !blocked[owner.UID] {
			found = append(found, owner)
		}
	}
	return found
}

func (p *Plugin) mayDelete(ctx context.Context, a admission.Attributes) error {
	resource := a.GetResource()
	return p.require(ctx, a, authorizer.AttributesRecord{
		Verb: "delete", APIGroup: resource.Group, APIVersion: resource.Version, Resource: resource.Resource, Subresource: a.GetSubresource(),
		Namespace: a.GetNamespace(), Name: a.GetName(),
	}, "a change of the owners can delete this object")
}

// mayBlock returns an error unless the caller may update the finalizers of an owner, in every
// resource that its kind can mean.
func (p *Plugin) mayBlock(ctx context.Context, a admission.Attributes, owner metav1.OwnerReference) error {
	effect := fmt.Sprintf("blockOwnerDeletion can delay the deletion of %s %q", owner.Kind, owner.Name)
	mappings, err := p.resources(owner)
	if err != nil {
		return refused(a, fmt.Errorf("%s, but its resource cannot be determined: %w", effect, err))
	}
	for _, mapping := range mappings {
		right := authorizer.AttributesRecord{
			Verb: "update", APIGroup: mapping.Resource.Group, APIVersion: mapping.Resource.Version,
			Resource: mapping.Resource.Resource, Subresource: "finalizers", Name: owner.Name,
		}
		if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			// An owner in a namespace owns objects of that namespace only.
			right.Namespace = a.GetNamespace()
		}
		if err := p.require(ctx, a, right, effect); err != nil {
			return err
		}
	}
	return nil
}

// require returns an error unless the caller has a right, which is needed because of an effect.
func (p *Plugin) require(ctx context.Context, a admission.Attributes, right authorizer.AttributesRecord, effect string) error {
	right.User, right.ResourceRequest = a.GetUserInfo(), true
	decision, _, err := p.Authorizer.Authorize(ctx, right)
	if err != nil {
		return refused(a, fmt.Errorf("%s, but your permissions cannot be checked; try again: %w", effect, err))
	}
	if decision != authorizer.DecisionAllow {
		resource := right.Resource
		if right.Subresource != "" {
			resource += "/" + right.Subresource
		}
		return refused(a, fmt.Errorf("%s; request the RBAC verb %s on %s, or do not change the owners",
			effect, right.Verb, schema.GroupResource{Group: right.APIGroup, Resource: resource}))
	}
	return nil
}

func refused(a admission.Attributes, err error) error {
	return admission.NewForbidden(a, fmt.Errorf("metadata.ownerReferences: %w", err))
}

// resources returns the resources of an owner's kind.
func (p *Plugin) resources(owner metav1.OwnerReference) ([]*meta.RESTMapping, error) {
	version, err := schema.ParseGroupVersion(owner.APIVersion)
	if err != nil {
		return nil, err
	}
	kind := schema.GroupKind{Group: version.Group, Kind: owner.Kind}
	mappings, err := p.served.RESTMappings(kind, version.Version)
	if meta.IsNoMatchError(err) {
		return p.cluster.RESTMappings(kind, version.Version)
	}
	return mappings, err
}
