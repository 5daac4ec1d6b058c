// SPDX-License-Identifier: Apache-2.0

// Package domainreference checks the Domain that a new object refers to. A missing Domain causes
// only a warning, so that the order in which objects are applied does not matter. New objects of a
// Domain that is being deleted are refused: its controller deletes the objects that refer to it,
// and a tool that creates them again would keep the deletion from completing.
package domainreference

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/warning"

	"roadstead.dev/roadstead/pkg/admission/initializer"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// PluginName is the plugin's name in flags.
const PluginName = "DomainReference"

// domainOf returns, for each kind that refers to a Domain, the name of that Domain; "" for none.
var domainOf = map[schema.GroupResource]func(runtime.Object) string{
	takaro.Resource("mockservers"): func(object runtime.Object) string {
		if server, ok := object.(*takaro.MockServer); ok && server.Spec.DomainRef != nil {
			return server.Spec.DomainRef.Name
		}
		return ""
	},
	takaro.Resource("users"): func(object runtime.Object) string {
		if user, ok := object.(*takaro.User); ok {
			return user.Spec.DomainRef.Name
		}
		return ""
	},
}

// Plugin is the admission plugin.
type Plugin struct {
	*admission.Handler
	initializer.Reading
}

var (
	_ admission.ValidationInterface = &Plugin{}
	_ initializer.WantsObjects      = &Plugin{}
)

// New returns the plugin without its reader of objects. The reference is immutable, so only creates
// are checked.
func New() *Plugin {
	return &Plugin{Handler: admission.NewHandler(admission.Create)}
}

// ValidateInitialization returns an error if the reader of objects is missing.
func (p *Plugin) ValidateInitialization() error {
	if p.Objects == nil {
		return errors.New(PluginName + ": the reader of stored objects is not set")
	}
	return nil
}

// Validate warns of a missing Domain and refuses a terminating one.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	name := domainOf[a.GetResource().GroupResource()]
	if name == nil || a.GetSubresource() != "" {
		return nil
	}
	wanted := name(a.GetObject())
	if wanted == "" {
		return nil
	}
	going, err := p.beingDeleted(ctx, a.GetNamespace(), wanted)
	switch {
	case apierrors.IsNotFound(err):
		warning.AddWarning(ctx, "", fmt.Sprintf(
			"spec.domainRef: Domain %q does not exist in namespace %q yet; the object waits until it is created", wanted, a.GetNamespace()))
		return nil
	case err != nil:
		return apierrors.NewServiceUnavailable(fmt.Sprintf("spec.domainRef: cannot read Domain %q; try again", wanted))
	case going:
		return admission.NewForbidden(a, fmt.Errorf(
			"spec.domainRef: Domain %q is being deleted; wait until it is deleted (kubectl wait --for=delete domain.%s/%s -n %s) "+
				"and try again, or reference another Domain",
			wanted, takaro.GroupName, wanted, a.GetNamespace()))
	}
	return nil
}

// beingDeleted reports whether a Domain is being deleted.
func (p *Plugin) beingDeleted(ctx context.Context, namespace, name string) (bool, error) {
	found, err := p.Objects.Get(ctx, takaro.Resource("domains"), namespace, name)
	if err != nil {
		return false, err
	}
	domain, err := meta.Accessor(found)
	if err != nil {
		return false, err
	}
	return domain.GetDeletionTimestamp() != nil, nil
}
